(* l_p norms: the tangent of |x|^p, and Schur's test for a matrix whose rows and columns have absolute sums at most
   c. *)
From mathcomp Require Import ssreflect ssrfun ssrbool eqtype ssrnat seq choice fintype finset bigop.
From Attncert Require Export vectors extrema.

Local Open Scope R_scope.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Lemma exp_convex t p : 1 <= p -> p * exp t <= exp (p * t) + (p - 1).
Proof.
move=> p1; have tangent y : exp t * (1 + (y - t)) <= exp y.
  have -> : exp y = exp t * exp (y - t) by rewrite -exp_plus; congr exp; lra.
  by apply: Rmult_le_compat_l; [apply: Rlt_le; exact: exp_pos | exact: exp_ineq1_le].
have := tangent (p * t); have := tangent 0; rewrite exp_0 => one two.
have := Rmult_le_compat_l (p - 1) _ _ _ one; lra.
Qed.

Lemma power0 p : power 0 p = 0.
Proof. by rewrite /power; case: Req_EM_T. Qed.

Lemma powerE x p : 0 < x -> power x p = Rpower x p.
Proof. by move=> x0; rewrite /power; case: Req_EM_T => // e; lra. Qed.

Lemma power_ge0 x p : 0 <= power x p.
Proof. by rewrite /power; case: (Req_EM_T x 0) => e /=; [lra | apply: Rlt_le; exact: exp_pos]. Qed.

Lemma power_gt0 x p : 0 < x -> 0 < power x p.
Proof. by move=> x0; rewrite powerE //; exact: exp_pos. Qed.

Lemma power_power x p q : 0 <= x -> power (power x p) q = power x (p * q).
Proof.
case/Rle_lt_or_eq_dec => [x0|<-]; last by rewrite !power0.
by rewrite (powerE _ x0) powerE ?(powerE _ x0) ?Rpower_mult //; exact: exp_pos.
Qed.

Lemma power_1 x : 0 <= x -> power x 1 = x.
Proof. by case/Rle_lt_or_eq_dec => [x0|<-]; [rewrite powerE // Rpower_1 | rewrite power0]. Qed.

Lemma power_mult x y p : 0 <= x -> 0 <= y -> power (x * y) p = power x p * power y p.
Proof.
case/Rle_lt_or_eq_dec => [x0|<-]; last by rewrite !mul0R !power0 mul0R.
case/Rle_lt_or_eq_dec => [y0|<-]; last by rewrite !mulR0 !power0 mulR0.
by rewrite !powerE ?Rpower_mult_distr //; exact: Rmult_lt_0_compat.
Qed.

Lemma power_le x y p : 0 <= x -> x <= y -> 0 <= p -> power x p <= power y p.
Proof.
case/Rle_lt_or_eq_dec => [x0|<-] xy p0; last by rewrite power0; exact: power_ge0.
by rewrite !powerE; [apply: Rle_Rpower_l | lra | lra].
Qed.

(* x^p >= m^p + p m^(p-1) (x - m) *)
Lemma power_tangent x m p : 0 <= x -> 0 <= m -> 1 <= p -> power m p + p * power m (p - 1) * (x - m) <= power x p.
Proof.
move=> x0 m0 p1; case: (Rle_lt_or_eq_dec _ _ m0) => [mp|<-]; last by rewrite !power0; have := power_ge0 x p; lra.
have split : power m p = power m (p - 1) * m.
  by rewrite !powerE // -{3}(Rpower_1 m) // -Rpower_plus; congr Rpower; lra.
case: (Rle_lt_or_eq_dec _ _ x0) => [xp|<-]; last first.
  by rewrite power0 split; have := Rmult_le_pos _ _ (power_ge0 m (p - 1)) m0; nra.
have t0 : 0 < x / m by exact: Rdiv_lt_0_compat.
have := exp_convex (ln (x / m)) p1; rewrite exp_ln // -/(Rpower (x / m) p) => le.
have -> : power x p = power m p * Rpower (x / m) p.
  by rewrite -(powerE p t0) -power_mult //; [congr power; field; lra | lra].
have := Rmult_le_compat_l _ _ _ (power_ge0 m p) le.
have -> : power m p * (p * (x / m)) = p * power m (p - 1) * x by rewrite split; field; lra.
by rewrite split; lra.
Qed.

Section Norms.
Variable I : finType.
Implicit Types u v w : I -> R.
Local Notation sum_p p u := (\sum_i power (Rabs (u i)) p).

Lemma sum_p_ge0 p u : 0 <= sum_p p u.
Proof. by apply: sum_ge0 => i _; exact: power_ge0. Qed.

Lemma norm_p_ge0 p u : 0 <= norm_p p u.
Proof. exact: power_ge0. Qed.

Lemma norm_p_le p c u v : 1 <= p -> 0 <= c -> sum_p p u <= power c p * sum_p p v -> norm_p p u <= c * norm_p p v.
Proof.
move=> p1 c0 le; have q0 : 0 <= 1 / p by apply: Rlt_le; apply: Rdiv_lt_0_compat; lra.
apply: Rle_trans (power_le (sum_p_ge0 p u) le q0) _.
rewrite power_mult; [|exact: power_ge0|exact: sum_p_ge0].
rewrite power_power // (_ : p * (1 / p) = 1) ?power_1 //; last by field; lra.
by rewrite /norm_p; lra.
Qed.

Lemma norm_p_mono p u v : 1 <= p -> (forall i, Rabs (u i) <= Rabs (v i)) -> norm_p p u <= norm_p p v.
Proof.
move=> p1 le; rewrite -[X in _ <= X]Rmult_1_l; apply: norm_p_le; try lra.
rewrite powerE; last by lra.
rewrite /Rpower ln_1 mulR0 exp_0 Rmult_1_l; apply: sum_le => i _.
by apply: power_le; [exact: Rabs_pos | exact: le | lra].
Qed.

Lemma norm_p_scale p c v : 1 <= p -> norm_p p (fun i => c * v i) = Rabs c * norm_p p v.
Proof.
move=> p1; have a0 := Rabs_pos c.
rewrite /norm_p (eq_bigr (fun i => power (Rabs c) p * power (Rabs (v i)) p)) => [|i _]; last first.
  by rewrite Rabs_mult power_mult //; exact: Rabs_pos.
rewrite -sum_mulr power_mult; [|exact: power_ge0|exact: sum_p_ge0].
by rewrite power_power // (_ : p * (1 / p) = 1) ?power_1 //; field; lra.
Qed.

Lemma eq_norm_p p u v : u =1 v -> norm_p p u = norm_p p v.
Proof. by move=> e; congr power; apply: eq_bigr => i _; rewrite e. Qed.

Lemma eq_norm_inf u v : u =1 v -> norm_inf u = norm_inf v.
Proof. by move=> e; rewrite /norm_inf /maximum; apply: eq_bigr => i _; rewrite e. Qed.

Lemma norm_inf_mono u v : (forall i, Rabs (u i) <= Rabs (v i)) -> norm_inf u <= norm_inf v.
Proof.
move=> le; apply: maximum_le => [|i _]; first exact: maximum_ge0.
exact: Rle_trans (le i) (maximum_ge (fun i => Rabs (v i)) _).
Qed.

Lemma norm_inf_scale c v : norm_inf (fun i => c * v i) = Rabs c * norm_inf v.
Proof.
rewrite /norm_inf /maximum; elim/big_ind2: _ => [|x x' y y' -> ->|i _]; first by lra.
  rewrite RmaxRmult //; exact: Rabs_pos.
exact: Rabs_mult.
Qed.

Lemma norm_2 u : norm u = norm_p 2 u.
Proof.
have sq y : 0 <= y -> power y 2 = y * y.
  case/Rle_lt_or_eq_dec => [y0|<-]; last by rewrite power0; lra.
  by rewrite powerE // (_ : 2 = INR 2) // Rpower_pow //=; ring.
have s : sum_p 2 u = dot u u.
  by apply: eq_bigr => i _; rewrite sq; [rewrite -Rabs_mult Rabs_pos_eq //; exact: Rle_0_sqr | exact: Rabs_pos].
rewrite /norm_p s /norm; have := dot_ge0 u.
case/Rle_lt_or_eq_dec => [d0|<-]; last by rewrite power0 sqrt_0.
by rewrite powerE // -Rpower_sqrt //; congr Rpower; lra.
Qed.

(* What a vector w has along the dual of u bounds its norm from below. *)
Definition dual p u i := (if Rlt_dec (u i) 0 then -1 else 1) * power (Rabs (u i)) (p - 1).

Lemma dual_le p u w : 1 <= p -> sum_p p u + p * (dot (dual p u) w - dot (dual p u) u) <= sum_p p w.
Proof.
move=> p1; rewrite /dot -sum_sub sum_mulr -sum_add; apply: sum_le => i _.
apply: Rle_trans (power_tangent (Rabs_pos (w i)) (Rabs_pos (u i)) p1); apply: Rplus_le_compat_l.
rewrite /dual [X in _ <= X]Rmult_assoc; apply: Rmult_le_compat_l; first by lra.
have := power_ge0 (Rabs (u i)) (p - 1); set g := power _ _ => g0.
case: (Rlt_dec (u i) 0) => neg /=.
- rewrite (Rabs_left (u i)) // (_ : -1 * g * w i - -1 * g * u i = g * (- w i - - u i)); last by ring.
  by apply: Rmult_le_compat_l => //; have := Rle_abs (- w i); rewrite Rabs_Ropp; lra.
- rewrite (Rabs_pos_eq (u i)); last by lra.
  rewrite (_ : 1 * g * w i - 1 * g * u i = g * (w i - u i)); last by ring.
  by apply: Rmult_le_compat_l => //; have := Rle_abs (w i); lra.
Qed.

Section Schur.
Variables (A : I -> I -> R) (c : R).
Hypothesis c0 : 0 < c.
Hypothesis rows : forall i, \sum_j Rabs (A i j) <= c.

Lemma apply_abs v i : Rabs (apply A v i) <= \sum_j (Rabs (A i j) * Rabs (v j)).
Proof. by apply: Rle_trans (sum_abs _ _) _; apply: sum_le => j _; rewrite Rabs_mult; lra. Qed.

Lemma schur_inf v : norm_inf (apply A v) <= c * norm_inf v.
Proof.
have v0 : 0 <= norm_inf v by exact: maximum_ge0.
apply: maximum_le => [|i _]; first by apply: Rmult_le_pos => //; lra.
apply: Rle_trans (apply_abs v i) _; apply: Rle_trans (_ : (\sum_j Rabs (A i j)) * norm_inf v <= _).
  rewrite -sum_mull; apply: sum_le => j _; apply: Rmult_le_compat_l; first exact: Rabs_pos.
  exact: (maximum_ge (fun j => Rabs (v j))).
by apply: Rmult_le_compat_r.
Qed.

Hypothesis columns : forall j, \sum_i Rabs (A i j) <= c.

Lemma schur p v : 1 <= p -> norm_p p (apply A v) <= c * norm_p p v.
Proof.
move=> p1; apply: norm_p_le => //; first by lra.
have split : power c p = power c (p - 1) * c.
  by rewrite !powerE // -{3}(Rpower_1 c) // -Rpower_plus; congr Rpower; lra.
apply: Rle_trans (_ : \sum_i (power c (p - 1) * (\sum_j (Rabs (A i j) * power (Rabs (v j)) p))) <= _); last first.
  rewrite -sum_mulr split Rmult_assoc; apply: Rmult_le_compat_l; first exact: power_ge0.
  rewrite exchange_big sum_mulr; apply: sum_le => j _ /=; rewrite sum_mull.
  by apply: Rmult_le_compat_r; [exact: power_ge0 | exact: columns].
apply: sum_le => i _; set y := \sum_j (Rabs (A i j) * Rabs (v j)); set m := y / c.
have y0 : 0 <= y by apply: sum_ge0 => j _; apply: Rmult_le_pos; exact: Rabs_pos.
have m0 : 0 <= m by apply: Rmult_le_pos => //; apply: Rlt_le; exact: Rinv_0_lt_compat.
have yE : y = c * m by rewrite /m; field; lra.
apply: Rle_trans (_ : power y p <= _); first by apply: power_le; [exact: Rabs_pos | exact: apply_abs | lra].
rewrite yE power_mult //; last by lra.
rewrite split Rmult_assoc; apply: Rmult_le_compat_l; first exact: power_ge0.
apply: Rle_trans (_ : \sum_j (Rabs (A i j) * (power m p + p * power m (p - 1) * (Rabs (v j) - m))) <= _); last first.
  by apply: sum_le => j _; apply: Rmult_le_compat_l (Rabs_pos _) _; apply: power_tangent => //; exact: Rabs_pos.
have -> : \sum_j (Rabs (A i j) * (power m p + p * power m (p - 1) * (Rabs (v j) - m))) =
  (\sum_j Rabs (A i j)) * (power m p - p * power m (p - 1) * m) + p * power m (p - 1) * y.
  by rewrite /y -[X in _ = X + _]sum_mull [X in _ = _ + X]sum_mulr -sum_add; apply: eq_bigr => j _; ring.
have mE : power m (p - 1) * m = power m p.
  case: (Rle_lt_or_eq_dec _ _ m0) => [mp|<-]; last by rewrite !power0; lra.
  by rewrite !powerE // -{2}(Rpower_1 m) // -Rpower_plus; congr Rpower; lra.
have r := rows i; set s := \sum_j Rabs (A i j) in r *.
rewrite yE (_ : p * _ * (c * m) = p * c * (power m (p - 1) * m)); last by ring.
rewrite mE (_ : power m p - p * power m (p - 1) * m = (1 - p) * power m p); last by rewrite -mE; ring.
have g0 := power_ge0 m p; have : 0 <= (c - s) * ((p - 1) * power m p).
  by apply: Rmult_le_pos; [lra | apply: Rmult_le_pos; lra].
by lra.
Qed.
End Schur.
End Norms.
