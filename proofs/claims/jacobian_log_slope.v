(* jacobian-log-slope: all L, all positive F, all slopes. *)
From mathcomp Require Import ssreflect ssrfun ssrbool eqtype ssrnat seq choice fintype finset bigop.
From Attncert Require Import jacobian.

Local Open Scope R_scope.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Theorem jacobian_log_slope (L : nat) (F F' : 'I_L -> R) v (lambda : R) :
  (forall i, 0 < F i) -> (forall u, form (weight F) u u <= lambda * dot u u) ->
  norm (apply (jacobian F F') v) <= lambda * maximum xpredT (fun i => Rabs (F' i / F i)) * norm v /\
  form (weight F) v v <= 1/2 * dot v v.
Proof.
move=> pos eigen; case: (pickP 'I_L) => [i _|none]; last first.
  have z (u : 'I_L -> R) : norm u = 0 by rewrite /norm /dot big1 ?sqrt_0 // => i; have := none i.
  have z' (f : 'I_L -> R) : \sum_j f j = 0 by rewrite big1 // => i; have := none i.
  by rewrite !z /form /mean /dot !z'; lra.
have S0 := total_gt0 pos i; have Sa := weight_simplex pos i; split; last exact: form_half.
set k := maximum _ _; set h := fun j => F' j / F j * v j; set w := apply _ v.
have kv : norm h <= k * norm v.
  have k0 : 0 <= k by exact: maximum_ge0.
  rewrite -{1}(Rabs_pos_eq _ k0) -norm_scale; apply: sqrt_le_1_alt; apply: sum_le => j _; rewrite /h.
  have le : Rabs (F' j / F j) <= Rabs k by rewrite [X in _ <= X]Rabs_pos_eq //;
    exact: (maximum_ge (fun j => Rabs (F' j / F j))).
  by have := Rmult_le_compat_r _ _ _ (Rle_0_sqr (v j)) (Rsqr_le_abs_1 _ _ le); rewrite /Rsqr; lra.
have ww : dot w w = form (weight F) w h.
  have we j : w j = weight F j * (h j - mean (weight F) h).
    rewrite /w jacobianE /mean /dot Rmult_minus_distr_l; congr (_ - _); last congr (_ * _).
      by rewrite /h /weight; field; have := pos j; lra.
    by apply: eq_bigr => l _; rewrite /h /weight; field; have := pos l; lra.
  rewrite /form [X in _ - X]Rmult_comm [mean (weight F) w]/mean sum_mulr -sum_sub.
  by apply: eq_bigr => j _; rewrite [X in _ * X](we j); lra.
have w0 := norm_ge0 w; have h0 := norm_ge0 h.
have cs := form_cauchy Sa w h; rewrite -ww -norm_sqr in cs.
have := eigen w; have := eigen h; rewrite -!norm_sqr => eh ew.
have fw := form_ge0 Sa w; have fh := form_ge0 Sa h.
have lam : 0 <= lambda.
  have := form_ge0 Sa (fun _ => 1); have := eigen (fun _ => 1).
  rewrite (_ : dot _ _ = INR L); last by rewrite /dot sum_const card_ord; lra.
  have : 0 < INR L by apply: (lt_INR 0); apply/ltP; exact: leq_ltn_trans (leq0n i) (ltn_ord i).
  by move=> L0 le ge; apply: (Rmult_le_reg_r (INR L)) => //; lra.
case: (Rle_lt_or_eq_dec _ _ w0) => [w1|<-]; last first.
  by apply: Rmult_le_pos (norm_ge0 v); apply: Rmult_le_pos => //; exact: maximum_ge0.
have sq : (norm w * norm w) * (norm w * norm w) <= (lambda * (norm w * norm h)) * (lambda * (norm w * norm h)).
  apply: Rle_trans cs _; rewrite (_ : lambda * _ * _ = lambda * (norm w * norm w) * (lambda * (norm h * norm h)));
    last by ring.
  by apply: Rmult_le_compat.
have := Rsqr_incr_0_var _ _ sq (Rmult_le_pos _ _ lam (Rmult_le_pos _ _ w0 h0)) => le.
have wl : norm w <= lambda * norm h by apply: (Rmult_le_reg_l (norm w)) => //; lra.
by apply: Rle_trans wl _; rewrite Rmult_assoc; apply: Rmult_le_compat_l.
Qed.
