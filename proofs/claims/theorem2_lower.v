(* theorem2-lower: all L, d and 1 <= N < L, all tokens on a sphere, all sets of N largest weights; reading (A), k != i. *)
From mathcomp Require Import ssreflect ssrfun ssrbool eqtype ssrnat seq choice fintype finset bigop.
From Attncert Require Import separation.

Local Open Scope R_scope.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Theorem theorem2_lower (L d : nat) (a : 'I_L -> R) (x : 'I_L -> 'I_d -> R) (S : {set 'I_L}) (M : R) :
  simplex a -> S != set0 -> (forall i, norm (x i) = M) -> 0 < radius a x S ->
  1 - 1 / (radius a x S * count S) * (\sum_(i in S) estimate a S M (separation x) i) <= separable a x S / count S.
Proof.
move=> [a0 _] S0 sphere r0; have n0 : 0 < count S by rewrite count_card; apply: (lt_INR 0); apply/ltP; rewrite card_gt0.
have := share_ge r0 (xi_bound a0 sphere (S := S)); set r := radius _ _ _ in r0 *; set b := \sum_(i in S) _.
set n := count S in n0 *; set s := separable _ _ _ => le.
apply: le_div => //; rewrite (_ : (1 - 1 / (r * n) * b) * n = n - b / r); last by field; lra.
have : n - s <= b / r by apply: le_div; lra.
by lra.
Qed.
