(* theorem2-eighty-percent: refuted by the stored witness, L = 3, d = 2, a share of 1 against 4/5. *)
From mathcomp Require Import ssreflect ssrfun ssrbool eqtype ssrnat seq choice fintype finset bigop.
From Attncert Require Import evaluate.

Local Open Scope R_scope.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Theorem theorem2_eighty_percent : ~ forall (L d : nat) (a : 'I_L -> R) (x : 'I_L -> 'I_d -> R) (S : {set 'I_L}) (M : R),
  simplex a ->
  S != set0 ->
  top a S ->
  count S < INR L ->
  (forall i, norm (x i) = M) ->
  0 < separation x ->
  2 <= count S ->
  separable a x S / count S <= 4/5.
Proof.
move=> claimed; specialize (claimed _ _ theorem2_eighty_percent_weights theorem2_eighty_percent_tokens
  theorem2_eighty_percent_selected (norm (theorem2_eighty_percent_tokens ord0))).
rewrite /theorem2_eighty_percent_weights /theorem2_eighty_percent_tokens /theorem2_eighty_percent_selected in claimed.
specialize (claimed ltac:(split; [each_token; lra | write_out; lra])).
specialize (claimed ltac:(apply/set0Pn; exists (ord0); rewrite in_chosen; done)).
specialize (claimed ltac:(each_token => // *; lra)).
specialize (claimed ltac:(rewrite /count; write_out; lra)).
specialize (claimed ltac:(each_token; rewrite /norm /dot; write_out; congr sqrt; lra)).
specialize (claimed ltac:(rewrite (separation_is (i := ord0) (j := lift ord0 ord0)) //; [rewrite /norm /dot;
  write_out; interval | each_token => // *; rewrite /norm /dot; write_out; less])).
specialize (claimed ltac:(rewrite /count; write_out; lra)).
move: claimed.
rewrite separable_all; first by rewrite /count; too_large.
rewrite (radius_is (i := lift ord0 (lift ord0 ord0))); [|by numbers|by each_token => //; lra].
each_token => // *; rewrite /distance /context /norm /dot; write_out; less.
Qed.
