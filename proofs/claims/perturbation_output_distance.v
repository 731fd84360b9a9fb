(* perturbation-output-distance: refuted by the stored witness, L = 2, T = 1, 1.06.. against 1.41... *)
From mathcomp Require Import ssreflect ssrfun ssrbool eqtype ssrnat seq choice fintype finset bigop.
From Attncert Require Import evaluate perturbation_input_distance.

Local Open Scope R_scope.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Theorem perturbation_output_distance : ~ forall (n : nat) (T b e : R),
  0 < T ->
  e <> 0 ->
  norm (apply (softmax_jacobian T (observation b b)) (@observation n (2 * e) (- e))) = sqrt 2 * Rabs e / T.
Proof.
move=> claimed; specialize (claimed 0%nat perturbation_output_distance_temperature
  (perturbation_output_distance_logits ord0)
  (perturbation_output_distance_logits (lift ord0 ord0) - perturbation_output_distance_logits ord0)).
rewrite /perturbation_output_distance_temperature /perturbation_output_distance_logits in claimed.
specialize (claimed ltac:(lra)).
specialize (claimed ltac:(numbers; lra)).
move: claimed.
move/esym/Req_le; rewrite /apply /softmax_jacobian /softmax /observation /norm /dot; too_large.
Qed.
