(* What the claims about selected tokens share. *)
From mathcomp Require Import ssreflect ssrfun ssrbool eqtype ssrnat seq choice fintype finset bigop.
From Attncert Require Export vectors extrema.

Local Open Scope R_scope.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section Selection.
Variables (L d : nat) (a : 'I_L -> R) (x : 'I_L -> 'I_d -> R) (S : {set 'I_L}).
Hypothesis a0 : forall i, 0 <= a i.

Lemma count_card : count S = INR #|S|.
Proof. by rewrite /count sum_const mulR1. Qed.

Lemma sum_unselected c : \sum_(i | i \notin S) c = (INR L - count S) * c.
Proof.
have <- : \sum_(i < L) 1 = INR L by rewrite sum_const card_ord mulR1.
by rewrite (sum_split (mem S)) /count /= !sum_const; lra.
Qed.

Lemma unselected_mass : simplex a -> \sum_(i | i \notin S) a i = 1 - mass a S.
Proof. by case=> _ <-; rewrite (sum_split (mem S) a) /mass /=; lra. Qed.

Lemma mass_le1 : simplex a -> mass a S <= 1.
Proof.
move/unselected_mass => e; have : 0 <= \sum_(i | i \notin S) a i by exact: sum_ge0.
by lra.
Qed.

Lemma mass_ge0 : 0 <= mass a S.
Proof. exact: sum_ge0. Qed.

Lemma mass_ge j : j \in S -> a j <= mass a S.
Proof.
by move=> jS; rewrite /mass (bigD1 j) //= -[X in X <= _]addR0; apply: Rplus_le_compat_l; exact: sum_ge0.
Qed.

Lemma norm_weighted i : norm (fun k => a i * x i k) = a i * norm (x i).
Proof. by rewrite norm_scale Rabs_pos_eq. Qed.

Lemma norm_context M : (forall j, j \in S -> norm (x j) <= M) -> norm (context a x S) <= mass a S * M.
Proof.
move=> le; apply: Rle_trans (norm_sum _ _) _; rewrite /mass -sum_mull; apply: sum_le => j jS.
by rewrite norm_weighted; apply: Rmult_le_compat_l => //; exact: le.
Qed.

Lemma distance_between i : norm (context a x S) - a i * norm (x i) <= distance a x S i <= norm (context a x S) + a i *
  norm (x i).
Proof.
rewrite -norm_weighted; split; last by have := norm_sub_le (fun k => a i * x i k) (context a x S); rewrite /distance;
  lra.
have := norm_sub (context a x S) (fun k => a i * x i k).
have -> : norm (fun k => context a x S k - a i * x i k) = distance a x S i; last by lra.
by rewrite -norm_opp; apply: eq_norm => k; lra.
Qed.
End Selection.
