(* theorem1-upper: refuted by the stored witness, L = 2, d = 1, 1/2 against 1/4. *)
From mathcomp Require Import ssreflect ssrfun ssrbool eqtype ssrnat seq choice fintype finset bigop.
From Attncert Require Import evaluate.

Local Open Scope R_scope.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Theorem theorem1_upper : ~ forall (L d : nat) (a : 'I_L -> R) (x : 'I_L -> 'I_d -> R) (S : {set 'I_L}),
  simplex a ->
  S != set0 ->
  top a S ->
  d_tilde a x S <= (1 - mass a S) * farthest x S +
    maximum (mem S) (fun j => norm (x j) * norm (x j)) * (mass a S * (INR L - count S) - (1 - mass a S)).
Proof.
move=> claimed; specialize (claimed _ _ theorem1_upper_weights theorem1_upper_tokens theorem1_upper_selected).
rewrite /theorem1_upper_weights /theorem1_upper_tokens /theorem1_upper_selected in claimed.
specialize (claimed ltac:(split; [each_token; lra | write_out; lra])).
specialize (claimed ltac:(apply/set0Pn; exists (lift ord0 ord0); rewrite in_chosen; done)).
specialize (claimed ltac:(each_token => // *; lra)).
move: claimed.
rewrite /d_tilde /distance /context /output /mass /farthest /count /norm /dot; too_large.
Qed.
