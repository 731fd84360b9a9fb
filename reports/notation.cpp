// The symbols of the claims, for whoever reads a statement without the paper at hand.
#include "reports/wording.hpp"

namespace attncert::report {

const std::vector<Meaning> notation{
    {"L, d", "the number of tokens and their dimension."},
    {"l or z, T", "the row of L logits, and the temperature T > 0 that divides it."},
    {"a_i, p_i",
     "the weights of the row: given ones, or those of a normalizer (p of softmax). p1 >= p2 >= ... sorted."},
    {"x_i, y_i, xbar", "tokens; y_i = a_i x_i; xbar = sum a_i x_i, the output of the head."},
    {"I, N, A", "the selected tokens, their number, and their mass: the sum of a_i over i in I."},
    {"s, xhat", "s = sum of a_i x_i over i in I, the context of the selected tokens; xhat = s/A."},
    {"f_i", "||a_i x_i - s||, the distance of a weighted token from the context."},
    {"d-tilde", "the sum of f_i over the unselected tokens."},
    {"d1", "max ||x_i - x_j|| over i not in I and j in I."},
    {"M, delta",
     "max ||x_i||, which is the radius where all tokens lie on a sphere; the smallest distance of two tokens."},
    {"r, N_s", "r = min of f_j over j not in I; N_s = the number of selected tokens with f_i <= r (separable ones)."},
    {"xi_i",
     "the root of M^2 sum a_j^2 + (M^2 - delta^2/2) sum a_j a_k over the other selected tokens j, and pairs j != k "
     "of them: an upper bound on f_i. eta_i: the same with the largest distance of two tokens in place of delta."},
    {"E", "the mean over all index sets I of N tokens, each equally likely."},
    {"F, S, R",
     "a normalizer of the form a_i = F(l_i)/S, S = sum F(l_i), is called separable; R = max F / min F on the row."},
    {"g_j, kappa", "g_j = F'(l_j)/S; kappa = sup |F'/F|."},
    {"J", "the Jacobian of the weights in the logits."},
    {"||.||, ||.||_F",
     "of a vector: Euclidean; of a matrix: spectral, or Frobenius. ||J||_p: the norm induced by l_p."},
    {"lambda_1", "the largest eigenvalue of diag p - p p^T; ||J|| = lambda_1/T for softmax."}};

}  // namespace attncert::report
