(* theorem2-upper: refuted by the stored witness, L = 2, d = 1, 1 against 0.939... *)
From mathcomp Require Import ssreflect ssrfun ssrbool eqtype ssrnat seq choice fintype finset bigop.
From Attncert Require Import evaluate.

Local Open Scope R_scope.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Theorem theorem2_upper : ~ forall (L d : nat) (a : 'I_L -> R) (x : 'I_L -> 'I_d -> R) (S : {set 'I_L}) (M : R),
  simplex a ->
  S != set0 ->
  top a S ->
  count S < INR L ->
  (forall i, norm (x i) = M) ->
  0 < separation x ->
  0 < radius a x S ->
  separable a x S / count S <= 1 / count S * (\sum_(i in S)
    exp (- ((radius a x S - estimate a S M (separation x) i) * (radius a x S - estimate a S M (separation x) i)) / (16
      * (M * M)))).
Proof.
move=> claimed; specialize (claimed _ _ theorem2_upper_weights theorem2_upper_tokens theorem2_upper_selected (norm
  (theorem2_upper_tokens ord0))).
rewrite /theorem2_upper_weights /theorem2_upper_tokens /theorem2_upper_selected in claimed.
specialize (claimed ltac:(split; [each_token; lra | write_out; lra])).
specialize (claimed ltac:(apply/set0Pn; exists (ord0); rewrite in_chosen; done)).
specialize (claimed ltac:(each_token => // *; lra)).
specialize (claimed ltac:(rewrite /count; write_out; lra)).
specialize (claimed ltac:(each_token; rewrite /norm /dot; write_out; congr sqrt; lra)).
specialize (claimed ltac:(rewrite (separation_is (i := ord0) (j := lift ord0 ord0)) //; [rewrite /norm /dot;
  write_out; interval | each_token => // *; rewrite /norm /dot; write_out; less])).
specialize (claimed ltac:(rewrite (radius_is (i := lift ord0 ord0)); [|by numbers|by each_token => //; lra];
  rewrite /distance /context /norm /dot; write_out; interval)).
move: claimed.
rewrite separable_all.
  rewrite (separation_is (i := ord0) (j := lift ord0 ord0)) //; last by each_token => // *; rewrite /norm /dot;
    write_out; less.
  rewrite (radius_is (i := lift ord0 ord0)); [|by numbers|by each_token => //; lra].
  rewrite /estimate /distance /context /count /norm /dot; too_large.
rewrite (radius_is (i := lift ord0 ord0)); [|by numbers|by each_token => //; lra].
each_token => // *; rewrite /distance /context /norm /dot; write_out; less.
Qed.
