(* lipschitz-ssmax: all L >= 1, all real scales s, all rows, all T > 0, all real p >= 1 and p = inf. *)
From mathcomp Require Import ssreflect ssrfun ssrbool eqtype ssrnat seq choice fintype finset bigop.
From Attncert Require Import lipschitz.

Local Open Scope R_scope.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Theorem lipschitz_ssmax (L : nat) (T s p : R) (z z' : 'I_L -> R) :
  let ssmax z := softmax T (fun i => s * ln (INR L) * z i) in
  0 < T -> 1 <= p -> (0 < L)%nat ->
  norm_p p (fun i => ssmax z' i - ssmax z i) <= Rabs s * ln (INR L) / (2 * T) * norm_p p (fun i => z' i - z i) /\
  norm_inf (fun i => ssmax z' i - ssmax z i) <= Rabs s * ln (INR L) / (2 * T) * norm_inf (fun i => z' i - z i).
Proof.
move=> ssmax T0 p1 L0; set c := s * ln (INR L).
have l0 : 0 <= ln (INR L).
  have L1 : 1 <= INR L by rewrite -[1]/(INR 1); apply: le_INR; apply/leP.
  by case: (Rle_lt_or_eq_dec _ _ L1) => [lt|<-]; rewrite -ln_1; [apply: Rlt_le; apply: ln_increasing; lra | lra].
have cE : Rabs s * ln (INR L) / (2 * T) = 1 / (2 * T) * Rabs c.
  by rewrite /c Rabs_mult (Rabs_pos_eq _ l0); field; lra.
have e : (fun i => c * z' i - c * z i) =1 (fun i => c * (z' i - z i)) by move=> i; lra.
split; rewrite cE Rmult_assoc.
- by rewrite -norm_p_scale // -(eq_norm_p p e); exact: (softmax_lipschitz T0 (fun i => c * z i) (fun i => c * z' i) p1).
- by rewrite -norm_inf_scale -(eq_norm_inf e); exact: (softmax_lipschitz_inf T0 (fun i => c * z i) (fun i => c * z' i)).
Qed.
