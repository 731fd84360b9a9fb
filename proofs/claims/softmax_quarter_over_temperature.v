(* softmax-quarter-over-temperature: refuted by the stored witness, L = 2, T = 1, 1/2 against 1/4. *)
From mathcomp Require Import ssreflect ssrfun ssrbool eqtype ssrnat seq choice fintype finset bigop.
From Attncert Require Import evaluate.

Local Open Scope R_scope.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Theorem softmax_quarter_over_temperature : ~ forall (L : nat) (T : R) (z v : 'I_L -> R),
  0 < T ->
  norm (apply (softmax_jacobian T z) v) <= Rmin (1 / (4 * T)) (sqrt 2) * norm v.
Proof.
move=> claimed; specialize (claimed _ softmax_quarter_over_temperature_temperature
  softmax_quarter_over_temperature_logits (row [:: 1; -1])).
rewrite /softmax_quarter_over_temperature_temperature /softmax_quarter_over_temperature_logits in claimed.
specialize (claimed ltac:(lra)).
move: claimed.
rewrite /apply /softmax_jacobian /softmax /norm /dot; too_large.
Qed.
