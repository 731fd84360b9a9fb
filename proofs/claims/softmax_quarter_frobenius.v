(* softmax-quarter-frobenius: refuted by the stored witness, L = 2, T = 1, 1/2 against 1/4. *)
From mathcomp Require Import ssreflect ssrfun ssrbool eqtype ssrnat seq choice fintype finset bigop.
From Attncert Require Import evaluate.

Local Open Scope R_scope.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Theorem softmax_quarter_frobenius : ~ forall (L : nat) (T : R) (z : 'I_L -> R),
  0 < T ->
  frobenius (softmax_jacobian T z) <= Rmin (1 / (4 * T)) (sqrt 2).
Proof.
move=> claimed; specialize (claimed _ softmax_quarter_frobenius_temperature softmax_quarter_frobenius_logits).
rewrite /softmax_quarter_frobenius_temperature /softmax_quarter_frobenius_logits in claimed.
specialize (claimed ltac:(lra)).
move: claimed.
rewrite /frobenius /softmax_jacobian /softmax; too_large.
Qed.
