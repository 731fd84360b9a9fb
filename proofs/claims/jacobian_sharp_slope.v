(* jacobian-sharp-slope: all L, all positive F, all slopes. *)
From mathcomp Require Import ssreflect ssrfun ssrbool eqtype ssrnat seq choice fintype finset bigop.
From Attncert Require Import jacobian.

Local Open Scope R_scope.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Theorem jacobian_sharp_slope (L : nat) (F F' : 'I_L -> R) v :
  (forall i, 0 < F i) ->
  norm (apply (jacobian F F') v) <= norm_inf F' / total F * sqrt (INR L) * norm (weight F) * norm v.
Proof.
move=> pos; case: (pickP 'I_L) => [i _|none]; last first.
  have z (u : 'I_L -> R) : norm u = 0 by rewrite /norm /dot big1 ?sqrt_0 // => i; have := none i.
  by rewrite !z; lra.
have S0 := total_gt0 pos i; have [_ a1] := weight_simplex pos i.
set a := weight F in a1 *; set w := fun j => F' j / total F * v j; set l := INR L.
have l1 : 1 <= l by rewrite -[1]/(INR 1); apply: le_INR; apply/leP; exact: leq_ltn_trans (leq0n i) (ltn_ord i).
have M0 : 0 <= norm_inf F' / total F.
  by apply: Rmult_le_pos; [exact: maximum_ge0 | apply: Rlt_le; exact: Rinv_0_lt_compat].
have wv : norm w <= norm_inf F' / total F * norm v.
  rewrite -[X in X * norm v]Rabs_pos_eq // -norm_scale; apply: sqrt_le_1_alt; apply: sum_le => j _; rewrite /w.
  have le : Rabs (F' j / total F) <= norm_inf F' / total F.
    rewrite Rabs_mult [X in _ * X]Rabs_pos_eq; last by apply: Rlt_le; exact: Rinv_0_lt_compat.
    by apply: Rmult_le_compat_r; [apply: Rlt_le; exact: Rinv_0_lt_compat | exact: (maximum_ge (fun j => Rabs (F' j)))].
  have sq : (F' j / total F) * (F' j / total F) <= (norm_inf F' / total F) * (norm_inf F' / total F).
    by apply: Rsqr_le_abs_1; rewrite [X in _ <= X]Rabs_pos_eq.
  set f := F' j / total F in sq *; set m := norm_inf F' / total F in sq *.
  by have := Rmult_le_compat_r _ _ _ (Rle_0_sqr (v j)) sq; rewrite /Rsqr; lra.
have split : norm (apply (jacobian F F') v) <= sqrt l * norm a * norm w.
  set m := \sum_j w j; set c := dot w a.
  have JE : dot (apply (jacobian F F') v) (apply (jacobian F F') v) = dot w w - 2 * m * c + dot a a * (m * m).
    have e j : apply (jacobian F F') v j = w j - a j * m by rewrite jacobianE.
    rewrite /dot (eq_bigr (fun j => w j * w j + (- 2 * m) * (w j * a j) + (m * m) * (a j * a j))) => [|j _];
      last by rewrite !e; ring.
    by rewrite !sum_add -!sum_mulr -/(dot w a) -/c -/(dot a a) -/(dot w w); lra.
  (* Cauchy-Schwarz of what is left of w and a beside their means. *)
  have cs : (c - m / l) * (c - m / l) <= (dot w w - m * m / l) * (dot a a - 1 / l).
    have part (u : 'I_L -> R) : \sum_j u j / l = (\sum_j u j) / l by rewrite /Rdiv sum_mull.
    have inner (u u' : 'I_L -> R) : dot (fun j => u j - (\sum_k u k) / l) (fun j => u' j - (\sum_k u' k) / l) =
        dot u u' - (\sum_k u k) * (\sum_k u' k) / l.
      set U := \sum_k u k; set U' := \sum_k u' k.
      rewrite /dot (eq_bigr (fun j => u j * u' j + (- (U' / l)) * u j + (- (U / l)) * u' j + (U / l) * (U' / l))) =>
        [|j _]; last by ring.
      by rewrite !sum_add -!sum_mulr sum_const card_ord -/U -/U' -/l; field; lra.
    have := cauchy_schwarz (fun j => w j - m / l) (fun j => a j - (\sum_k a k) / l).
    by rewrite !inner a1 -/m -/c; rewrite !Rmult_1_r /Rdiv !Rmult_1_l.
  apply: norm_le.
    by apply: Rmult_le_pos (norm_ge0 _); apply: Rmult_le_pos (norm_ge0 _); exact: sqrt_pos.
  rewrite (_ : _ * _ = sqrt l * sqrt l * (norm a * norm a) * (norm w * norm w)); last by ring.
  rewrite sqrt_sqrt; last by lra.
  rewrite !norm_sqr JE.
  have mean (u : 'I_L -> R) : (\sum_k u k) * (\sum_k u k) / l <= dot u u.
    have e1 : dot (fun _ => 1) u = \sum_k u k by apply: eq_bigr => k _; lra.
    have e2 : dot (fun _ : 'I_L => 1) (fun _ => 1) = l by rewrite /dot sum_const card_ord -/l; lra.
    by have := cauchy_schwarz (fun _ => 1) u; rewrite e1 e2 => le; apply: div_le; lra.
  have P0 : 0 <= dot w w - m * m / l by have := mean w; rewrite -/m; lra.
  have Q0 : 0 <= dot a a - 1 / l by have := mean a; rewrite a1 mulR1; lra.
  set P := dot w w - m * m / l in cs P0 *; set Q := dot a a - 1 / l in cs Q0 *.
  have gap : l * (dot a a * dot w w) - (dot w w - 2 * m * c + dot a a * (m * m)) = l * (P * Q) + m * m / l + 2 * m *
    (c - m / l).
    by rewrite /P /Q; field; lra.
  have PQ := Rmult_le_pos _ _ P0 Q0.
  suff : 0 <= l * (P * Q) + m * m / l + 2 * m * (c - m / l) by lra.
  set y := c - m / l in cs *.
  have : 0 <= (l * y + m) * (l * y + m) / l.
    by apply: Rmult_le_pos; [exact: Rle_0_sqr | apply: Rlt_le; apply: Rinv_0_lt_compat; lra].
  have -> : (l * y + m) * (l * y + m) / l = l * (y * y) + m * m / l + 2 * m * y by field; lra.
  by have := Rmult_le_compat_l l _ _ _ cs; lra.
apply: Rle_trans split _; rewrite (_ : _ / _ * _ * _ * _ = sqrt l * norm a * (norm_inf F' / total F * norm v));
  last by ring.
by apply: Rmult_le_compat_l wv; apply: Rmult_le_pos (norm_ge0 _); exact: sqrt_pos.
Qed.
