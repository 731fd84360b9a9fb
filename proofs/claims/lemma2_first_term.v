(* lemma2-first-term: all L, all positive F, all slopes. *)
From mathcomp Require Import ssreflect ssrfun ssrbool eqtype ssrnat seq choice fintype finset bigop.
From Attncert Require Import jacobian.

Local Open Scope R_scope.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Theorem lemma2_first_term (L : nat) (F F' : 'I_L -> R) v :
  (forall i, 0 < F i) ->
  norm (apply (jacobian F F') v) <= (norm F' / (INR L * minimum xpredT F) +
    norm F * norm F' / (INR L * INR L * (minimum xpredT F * minimum xpredT F))) * norm v.
Proof.
move=> pos; case: (pickP 'I_L) => [i _|none]; last first.
  have z (u : 'I_L -> R) : norm u = 0 by rewrite /norm /dot big1 ?sqrt_0 // => i; have := none i.
  by rewrite !z; lra.
have S0 := total_gt0 pos i; have low0 := least_gt0 i pos; have le := first_term F i; rewrite card_ord in le.
have L1 : 1 <= INR L by rewrite -[1]/(INR 1); apply: le_INR; apply/leP; exact: leq_ltn_trans (leq0n i) (ltn_ord i).
have Lm : 0 < INR L * minimum xpredT F by apply: Rmult_lt_0_compat; lra.
rewrite (eq_norm (jacobianE F F' v)); apply: Rle_trans (norm_sub_le _ _) _.
have F0 := norm_ge0 F; have F'0 := norm_ge0 F'; have v0 := norm_ge0 v.
have over w : 0 <= w -> w / total F <= w / (INR L * minimum xpredT F).
  by move=> w0; apply: Rmult_le_compat_l => //; apply: Rinv_le_contravar.
set g := fun j => F' j / total F; have gE : norm g = norm F' / total F by exact: norm_slopes.
have aE : norm (weight F) = norm F / total F by exact: (norm_slopes F pos).
have one : norm (fun j => g j * v j) <= norm g * norm v by exact: norm_product.
have two : norm (fun j => weight F j * dot g v) <= norm (weight F) * (norm g * norm v).
  rewrite (eq_norm (v := fun j => dot g v * weight F j)) => [|j]; last by lra.
  by rewrite norm_scale Rmult_comm; apply: Rmult_le_compat_l; [exact: norm_ge0 | exact: dot_abs].
apply: Rle_trans (Rplus_le_compat _ _ _ _ one two) _; rewrite -Rmult_assoc -Rmult_plus_distr_r.
apply: Rmult_le_compat_r => //; rewrite gE aE; apply: Rplus_le_compat; first exact: over.
have -> : norm F * norm F' / (INR L * INR L * (minimum xpredT F * minimum xpredT F)) =
  norm F / (INR L * minimum xpredT F) * (norm F' / (INR L * minimum xpredT F)) by field; lra.
by apply: Rmult_le_compat; try exact: over; apply: Rmult_le_pos => //; apply: Rlt_le; exact: Rinv_0_lt_compat.
Qed.
