(* jacobian-frobenius: all L, all F of positive sum, all slopes. *)
From mathcomp Require Import ssreflect ssrfun ssrbool eqtype ssrnat seq choice fintype finset bigop.
From Attncert Require Import vectors.

Local Open Scope R_scope.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Theorem jacobian_frobenius (L : nat) (F F' : 'I_L -> R) :
  0 < total F ->
  frobenius (jacobian F F') * frobenius (jacobian F F') =
  \sum_j ((F' j / total F) * (F' j / total F) * ((1 - weight F j) * (1 - weight F j) +
    \sum_(i | i != j) (weight F i * weight F i))).
Proof.
move=> S0; rewrite sqrt_sqrt; last first.
  by apply: sum_ge0 => i _; apply: sum_ge0 => j _; exact: Rle_0_sqr.
rewrite exchange_big; apply: eq_bigr => j _; rewrite (bigD1 j) //= Rmult_plus_distr_l sum_mulr /jacobian eqxx.
by congr (_ + _); [ring | apply: eq_bigr => i /negbTE ->; ring].
Qed.
