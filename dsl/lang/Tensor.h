// Tensors in global memory: parameters of the kernel.
#pragma once
#include "dsl/lang/Fragment.h"
#include <string>
#include <vector>

namespace tile {

/// A tile of a tensor: where a TMA copy starts. `coords` index every dim but
/// the last, `column` the last; the tile takes its rows from dim `rowDim`.
struct View {
  Handle tensor;
  std::vector<Int> coords;
  Int column;
  int rowDim;
};

/// A tensor with named dims, outermost first; the last is contiguous. Strides
/// are the caller's. Rows read outside of the tensor are zero, rows written
/// there are dropped.
class Tensor {
public:
  Tensor(Handle handle, int rank, int rowDim)
      : handle(handle), rank(rank), rowDim(rowDim) {}
  /// One coordinate for each dim but the last.
  View at(std::vector<Int> coords, Int column = 0,
          Where where = Where::current()) const;
  Handle raw() const { return handle; }

private:
  Handle handle;
  int rank;
  int rowDim;
};

/// One element for each row: `lse` and its like.
class RowTensor {
public:
  RowTensor(Handle base) : base(base) {}
  /// Element outer * outerStride + index[r] for row r where `mask` holds, else
  /// that of `otherwise`.
  Row load(Int outer, Int outerStride, RowOf<int> index, RowOf<bool> mask,
           Row otherwise, Where where = Where::current()) const;
  /// Writes row r of `value` there where `mask` holds.
  void store(Row value, Int outer, Int outerStride, RowOf<int> index,
             RowOf<bool> mask, Where where = Where::current()) const;

private:
  Handle base;
};

} // namespace tile
