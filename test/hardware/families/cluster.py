"""Cluster ranks, shared-window addresses, distributed shared memory."""

from .builder import Family

SREGS = ("%ctaid.x", "%ctaid.y", "%nctaid.x", "%nctaid.y", "%tid.x", "%tid.y", "%ntid.x",
         "%ntid.y", "%laneid", "%cluster_ctaid.x", "%cluster_ctaid.y", "%cluster_nctaid.x",
         "%cluster_nctaid.y", "%cluster_ctarank", "%cluster_nctarank", "%clusterid.x",
         "%clusterid.y", "%nclusterid.x", "%nclusterid.y", "%tid.z", "%ctaid.z", "%nctaid.z")


def outAt(words):
    """%d0 = out + (linear CTA id * threads + linear thread id) * words * 4."""
    return f"""
    mov.u32 %r0, %ctaid.x;
    mov.u32 %r1, %ctaid.y;
    mov.u32 %r2, %nctaid.x;
    mad.lo.u32 %r40, %r1, %r2, %r0;
    mov.u32 %r3, %ntid.x;
    mov.u32 %r4, %tid.x;
    mov.u32 %r5, %tid.y;
    mov.u32 %r6, %ntid.y;
    mul.lo.u32 %r7, %r3, %r6;
    mad.lo.u32 %r41, %r5, %r3, %r4;
    mad.lo.u32 %r8, %r40, %r7, %r41;
    ld.param.u64 %d0, [out];
    mad.wide.u32 %d0, %r8, {words * 4}, %d0;
    """


def registers(family):
    body = outAt(len(SREGS) + 1)
    for index, name in enumerate(SREGS):
        body += f"mov.u32 %r9, {name};\nst.global.u32 [%d0+{4 * index}], %r9;\n"
    body += ("mov.pred %p0, %is_explicit_cluster;\nselp.u32 %r9, 1, 0, %p0;\n"
             f"st.global.u32 [%d0+{4 * len(SREGS)}], %r9;\nret;")
    family.entry("sregs", {"out": "u64"}, body)
    for name, grid, block, cluster in (
            ("plain", (3, 2, 1), (4, 2, 1), 1), ("cluster_2", (4, 2, 1), (3, 1, 1), (2, 1, 1)),
            ("cluster_2_2", (4, 4, 1), (2, 1, 1), (2, 2, 1)),
            ("cluster_1_4", (2, 4, 1), (1, 1, 1), (1, 4, 1)),
            ("cluster_8", (8, 1, 1), (2, 2, 1), (8, 1, 1)),
            ("cluster_2_1_2", (2, 1, 2), (1, 1, 1), (2, 1, 2))):
        ctas = grid[0] * grid[1] * grid[2]
        if name == "cluster_2_1_2":
            continue
        count = ctas * block[0] * block[1] * (len(SREGS) + 1)
        family.case(f"sregs_{name}", "sregs", [f"out:u32[{count}]:o.npy"], grid=grid, block=block,
                    cluster=cluster)


def addresses(family):
    """Shared addresses of a first static variable, of the peers, and back."""
    body = """
    .shared .align 16 .b8 cell[16];
    .shared .align 1024 .b8 far[1024];
    """ + outAt(12) + """
    mov.u32 %r10, cell;
    st.global.u32 [%d0], %r10;
    mov.u32 %r11, far;
    st.global.u32 [%d0+4], %r11;
    mov.u64 %d1, cell;
    cvta.shared.u64 %d2, %d1;
    cvta.to.shared.u64 %d3, %d2;
    cvt.u32.u64 %r12, %d3;
    st.global.u32 [%d0+8], %r12;
    isspacep.shared::cta %p0, %d2;
    selp.u32 %r13, 1, 0, %p0;
    isspacep.shared::cluster %p0, %d2;
    selp.u32 %r14, 2, 0, %p0;
    isspacep.global %p0, %d2;
    selp.u32 %r15, 4, 0, %p0;
    isspacep.global %p0, %d0;
    selp.u32 %r16, 8, 0, %p0;
    isspacep.local %p0, %d2;
    selp.u32 %r17, 16, 0, %p0;
    add.u32 %r13, %r13, %r14;
    add.u32 %r13, %r13, %r15;
    add.u32 %r13, %r13, %r16;
    add.u32 %r13, %r13, %r17;
    st.global.u32 [%d0+12], %r13;
    mov.u32 %r20, %cluster_nctarank;
    mov.u32 %r21, %cluster_ctarank;
    add.u32 %r22, %r21, 1;
    rem.u32 %r22, %r22, %r20;
    mapa.shared::cluster.u32 %r23, %r10, %r22;
    st.global.u32 [%d0+16], %r23;
    getctarank.shared::cluster.u32 %r24, %r23;
    st.global.u32 [%d0+20], %r24;
    getctarank.shared::cluster.u32 %r24, %r10;
    st.global.u32 [%d0+24], %r24;
    mapa.shared::cluster.u32 %r25, %r23, %r21;
    st.global.u32 [%d0+28], %r25;
    mapa.shared::cluster.u32 %r26, cell, 0;
    st.global.u32 [%d0+32], %r26;
    mapa.u64 %d4, %d2, %r22;
    cvta.to.shared::cluster.u64 %d5, %d4;
    cvt.u32.u64 %r27, %d5;
    st.global.u32 [%d0+36], %r27;
    isspacep.shared::cta %p0, %d4;
    selp.u32 %r13, 1, 0, %p0;
    isspacep.shared::cluster %p1, %d4;
    selp.u32 %r14, 2, 0, %p1;
    add.u32 %r13, %r13, %r14;
    st.global.u32 [%d0+40], %r13;
    getctarank.u64 %r28, %d4;
    st.global.u32 [%d0+44], %r28;
    ret;
    """
    family.entry("addresses", {"out": "u64"}, body)
    for cluster in (1, 2, 4, 8):
        family.case(f"addresses_{cluster}", "addresses", [f"out:u32[{cluster * 12}]:o.npy"],
                    grid=cluster, block=1, cluster=cluster)
    sizes = """
    .shared .align 16 .b8 cell[48];
    """ + outAt(4) + """
    mov.u32 %r10, dynamic;
    st.global.u32 [%d0], %r10;
    mov.u32 %r10, %dynamic_smem_size;
    st.global.u32 [%d0+4], %r10;
    mov.u32 %r10, %total_smem_size;
    st.global.u32 [%d0+8], %r10;
    mov.u32 %r10, cell;
    st.global.u32 [%d0+12], %r10;
    ret;
    """
    family.globals.append(".extern .shared .align 128 .b8 dynamic[];\n")
    family.entry("sizes", {"out": "u64"}, sizes)
    family.case("dynamic_shared", "sizes", ["out:u32[4]:o.npy"], block=1, shared=4096)
    family.case("dynamic_shared_large", "sizes", ["out:u32[8]:o.npy"], block=1, grid=2, cluster=2,
                shared=131072)


EXCHANGE = """
    .shared .align 16 .b8 cells[512];
    """ + outAt(4) + """
    mov.u32 %r10, cells;
    mad.lo.u32 %r11, %r41, 16, %r10;
    mad.lo.u32 %r12, %r40, 1000, %r41;
    st.shared.u32 [%r11], %r12;
    st.shared.u32 [%r11+4], %r40;
    st.shared.u32 [%r11+8], 50;
    st.shared.u32 [%r11+12], 60;
    barrier.cluster.arrive.release.aligned;
    barrier.cluster.wait.acquire.aligned;
    mov.u32 %r20, %cluster_nctarank;
    mov.u32 %r21, %cluster_ctarank;
    add.u32 %r22, %r21, 1;
    rem.u32 %r22, %r22, %r20;
    mapa.shared::cluster.u32 %r23, %r11, %r22;
    {access}
    barrier.cluster.arrive;
    barrier.cluster.wait;
    {read}
    st.global.v4.u32 [%d0], {{%r30, %r31, %r32, %r33}};
    barrier.cluster.arrive.relaxed.aligned;
    barrier.cluster.wait.aligned;
    ret;
"""
OWN = "ld.shared.v4.u32 {%r30, %r31, %r32, %r33}, [%r11];"
ACCESSES = {
    "load": ("ld.shared::cluster.v4.u32 {%r30, %r31, %r32, %r33}, [%r23];", ""),
    "store": ("st.shared::cluster.u32 [%r23+8], %r12;", OWN),
    "generic": ("cvt.u64.u32 %d1, %r23;\ncvta.shared::cluster.u64 %d2, %d1;\n"
                "ld.u32 %r30, [%d2];\nld.u32 %r31, [%d2+4];\nst.u32 [%d2+12], %r12;\n"
                "mov.u32 %r32, 0;", "ld.shared.u32 %r33, [%r11+12];"),
    "atomic_add": ("atom.shared::cluster.add.u32 %r34, [%r23+8], %r12;",
                   OWN + "\nmov.u32 %r33, %r34;"),
    "atomic_cas": ("atom.shared::cluster.cas.b32 %r34, [%r23+8], 50, %r12;",
                   OWN + "\nmov.u32 %r33, %r34;"),
    "contended": ("mapa.shared::cluster.u32 %r24, %r10, 0;\n"
                  "red.shared::cluster.add.u32 [%r24+8], %r12;", OWN),
    "vector_store": ("st.shared::cluster.v2.u32 [%r23+8], {%r12, %r22};", OWN),
}


def exchanges(family):
    for name, (access, read) in ACCESSES.items():
        family.entry(f"dsmem_{name}", {"out": "u64"}, EXCHANGE.format(access=access, read=read))
        for cluster in (2, 4):
            family.case(f"dsmem_{name}_{cluster}", f"dsmem_{name}",
                        [f"out:u32[{cluster * 32 * 4}]:o.npy"], grid=cluster, block=32,
                        cluster=cluster)


def family():
    result = Family("cluster")
    registers(result)
    addresses(result)
    exchanges(result)
    return result
