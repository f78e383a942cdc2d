#pragma once

#include "crumple/math/block_cholesky.h"

/// Products of 6 x 6 blocks, with the widest registers that the machine has; the same bits with all.
namespace crumple {

/// C += A B.
void add_product(Mat6& c, const Mat6& a, const Mat6& b);

/// Divides the blocks of a column by its factored pivot and takes what the column does to those after it from them: L_pk = A_pk L_kk^-T, A_pq -= L_pk
/// L_qk^T.
void eliminate(const BlockPattern& pattern, size_t column, Mat6* blocks, Mat6* pivots);

}  // namespace crumple
