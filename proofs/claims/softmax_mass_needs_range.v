(* softmax-mass-needs-range: all L >= 2, all real logits, all T > 0. *)
From mathcomp Require Import ssreflect ssrfun ssrbool eqtype ssrnat seq choice fintype finset bigop.
From Attncert Require Import softmax extrema.

Local Open Scope R_scope.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Theorem softmax_mass_needs_range (L : nat) (T : R) (z : 'I_L -> R) (i : 'I_L) :
  0 < T -> (1 < L)%nat ->
  T * ln ((INR L - 1) * softmax T z i / (1 - softmax T z i)) <= range z.
Proof.
move=> T0 L2; have S := softmax_simplex T z i; set p := softmax T z in S *; set g := range z.
have L1 : INR L - 1 = INR L.-1 by rewrite -[in LHS](prednK (ltnW L2)) S_INR; lra.
have n0 : 0 < INR L.-1 by apply: (lt_INR 0); apply/ltP; rewrite -ltnS (prednK (ltnW L2)).
have pi0 : 0 < p i by exact: softmax_pos.
have zg j : z i - z j <= g.
  apply: Rle_trans (maximum_ge (P := xpredT) (fun i => maximum xpredT (fun j => z i - z j)) (i := i) isT).
  exact: (maximum_ge (P := xpredT) (fun j => z i - z j)).
have rest : \sum_(j | j != i) p j = 1 - p i by rewrite -S.2 [in RHS](bigD1 i) //=; lra.
have le : INR L.-1 * (exp (- (g / T)) * p i) <= 1 - p i.
  have card : INR #|[pred j | j != i]| = INR L.-1 by congr INR; rewrite (cardC1 i) card_ord.
  rewrite -rest -card -sum_const; apply: sum_le => j _; rewrite /p /softmax -Rmult_assoc -exp_plus.
  apply: Rmult_le_compat_r; first by apply: Rlt_le; apply: Rinv_0_lt_compat; exact: sum_exp_pos i.
  have : - (g / T) + z i / T <= z j / T.
    have := zg j; have T1 := Rinv_0_lt_compat _ T0; rewrite /Rdiv => zz.
    by have := Rmult_le_compat_r (/ T) _ _ (Rlt_le _ _ T1) zz; lra.
  by case/Rle_lt_or_eq_dec => [lt|->]; [apply: Rlt_le; exact: exp_increasing | lra].
have r0 : 0 < 1 - p i.
  by apply: Rlt_le_trans le; apply: Rmult_lt_0_compat => //; apply: Rmult_lt_0_compat => //; exact: exp_pos.
rewrite L1; set q := _ / _; have q0 : 0 < q by apply: Rdiv_lt_0_compat => //; exact: Rmult_lt_0_compat.
have qg : q <= exp (g / T).
  apply: div_le => //; have := Rmult_le_compat_l _ _ _ (Rlt_le _ _ (exp_pos (g / T))) le.
  have e : exp (g / T) * exp (- (g / T)) = 1 by rewrite -exp_plus Rplus_opp_r exp_0.
  by rewrite (_ : _ * (INR L.-1 * _) = exp (g / T) * exp (- (g / T)) * (INR L.-1 * p i)); [rewrite e; lra | ring].
have -> : g = T * (g / T) by field; lra.
apply: Rmult_le_compat_l; first by lra.
by rewrite -(ln_exp (g / T)); case: (Rle_lt_or_eq_dec _ _ qg) => [lt|->]; [apply: Rlt_le; exact: ln_increasing | lra].
Qed.
