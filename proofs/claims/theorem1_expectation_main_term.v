(* theorem1-expectation-main-term: refuted by the stored witness, L = 2, d = 1, 0 against 1/4. *)
From mathcomp Require Import ssreflect ssrfun ssrbool eqtype ssrnat seq choice fintype finset bigop.
From mathcomp Require Import binomial.
From Attncert Require Import evaluate.

Local Open Scope R_scope.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Theorem theorem1_expectation_main_term : ~ forall (L d N : nat) (a : 'I_L -> R) (x : 'I_L -> 'I_d -> R),
  simplex a ->
  (1 < L)%nat ->
  (0 < N <= L)%nat ->
  (\sum_(S : {set 'I_L} | #|S| == N) d_tilde a x S) / INR 'C(L, N) = (INR L - INR N) / INR L *
    (\sum_i dot (fun k => (a i + INR N / (INR L - 1)) * x i k - output a x k) (fun k =>
      (a i + INR N / (INR L - 1)) * x i k - output a x k)).
Proof.
move=> claimed; specialize (claimed _ _ 1%nat theorem1_expectation_main_term_weights
  theorem1_expectation_main_term_tokens).
rewrite /theorem1_expectation_main_term_weights /theorem1_expectation_main_term_tokens in claimed.
specialize (claimed ltac:(split; [each_token; lra | write_out; lra])).
specialize (claimed ltac:(done)).
specialize (claimed ltac:(done)).
move: claimed.
rewrite big1 => [|S /cards1P [j ->]]; last first.
  rewrite /d_tilde big1 // => i _; rewrite /distance /context (eq_norm (v := fun _ => 0)) ?norm0 // => k.
  by rewrite big_set1; move: i j k; each_token; lra.
move/esym/Req_le; rewrite /output /dot binE; too_large.
Qed.
