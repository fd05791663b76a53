"""The instruction families, in the order of the case list."""

from . import (approximate, atomics, barrier, bulk, cluster, convert, floating, integer, matrix,
               mbarrier, memory, tensormap, tma, warp, wgmma)

ALL = (floating.family, convert.family, integer.family, tma.loads, tma.stores, tma.multicasts,
       tensormap.family,        mbarrier.family, bulk.family, wgmma.family, matrix.family, warp.family, cluster.family,
       barrier.family, atomics.family, memory.family, approximate.family)
