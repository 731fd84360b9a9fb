(* distance-cap-fixed-n: all L, d, tokens and index sets of N >= 1 tokens, all positive weights of sum 1 and any R. *)
From mathcomp Require Import ssreflect ssrfun ssrbool eqtype ssrnat seq choice fintype finset bigop.
From Attncert Require Import selection distance_two_sided top_mass_cap.

Local Open Scope R_scope.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Theorem distance_cap_fixed_n (L d : nat) (a : 'I_L -> R) (x : 'I_L -> 'I_d -> R) (S : {set 'I_L}) :
  (forall i, 0 < a i) -> \sum_i a i = 1 -> S != set0 ->
  d_tilde a x S <= maximum xpredT (fun i => norm (x i)) *
    (1 + (INR L - count S - 1) * (count S * ratio a / (count S * ratio a + INR L - count S))).
Proof.
move=> pos one S0; have a0 i : 0 <= a i by apply: Rlt_le.
have Sa : simplex a by [].
set M := maximum _ _; have M0 : 0 <= M by exact: maximum_ge0.
have xM i : norm (x i) <= M by exact: (maximum_ge (fun i => norm (x i))).
have cap := top_mass_cap pos one S0; set bound := _ / _ in cap *.
have nL : count S <= INR L by rewrite count_card; apply: le_INR; apply/leP; rewrite -[X in (_ <= X)%nat]card_ord;
  exact: max_card.
have sM : norm (context a x S) <= mass a S * M by exact: norm_context.
have out : \sum_(i | i \notin S) (a i * norm (x i)) <= (1 - mass a S) * M.
  by rewrite -unselected_mass // -sum_mull; apply: sum_le => i _; exact: Rmult_le_compat_l.
have [full|some] : count S = INR L \/ 1 <= INR L - count S.
  rewrite count_card; case: (ltnP #|S| L) => lt; [right|left].
    by have := le_INR _ _ (elimT leP lt); rewrite S_INR; lra.
  by congr INR; apply/eqP; rewrite eqn_leq lt andbT -[X in (_ <= X)%nat]card_ord max_card.
- have two := (distance_two_sided x S a0).1; rewrite full in two *.
  have ST : S = setT by apply/eqP; rewrite eqEcard subsetT cardsT card_ord; apply/leP; apply: INR_le;
    rewrite -count_card full; lra.
  have -> : d_tilde a x S = 0 by rewrite /d_tilde big1 // => i; rewrite ST inE.
  have b : bound = 1.
    have [j _] := set0Pn _ S0; have := ratio_ge1 j pos => R1.
    have L0 : 0 < INR L by rewrite -full count_card -[0]/(INR 0); apply: lt_INR; apply/ltP; rewrite card_gt0.
    by rewrite /bound full; field; have := Rmult_lt_0_compat (INR L) (ratio a) L0; lra.
  by rewrite b; lra.
- have : (INR L - count S - 1) * mass a S <= (INR L - count S - 1) * bound by apply: Rmult_le_compat_l; lra.
  have : (INR L - count S) * norm (context a x S) <= (INR L - count S) * (mass a S * M) by apply: Rmult_le_compat_l;
    lra.
  have := (distance_two_sided x S a0).1 => two more cap1.
  apply: Rle_trans (_ : M * (1 + (INR L - count S - 1) * mass a S) <= _); first by lra.
  by apply: Rmult_le_compat_l; lra.
Qed.
