(* softmax-spectral-bounds: all L, all weights; p1 and p2 a largest and a next largest one. *)
From mathcomp Require Import ssreflect ssrfun ssrbool eqtype ssrnat seq choice fintype finset bigop.
From Attncert Require Import simplex.

Local Open Scope R_scope.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section Bounds.
Variables (I : finType) (p : I -> R) (a b : I).
Hypothesis S : simplex p.
Hypothesis ab : b != a.
Hypothesis order : p b <= p a.
Hypothesis below : forall j, j != a -> p j <= p b.
Let t := 1 - p a - p b.

Lemma rest_mass : \sum_(j | j != a) p j = 1 - p a.
Proof. by rewrite -[in RHS]S.2 [in RHS](bigD1 a) //=; lra. Qed.

Lemma t_ge0 : 0 <= t.
Proof. by have := two_at_most_1 S ab; rewrite /t; lra. Qed.

(* v^T (diag p - p p^T) v <= p1 (1 - p1 + p2) |v|^2. With w = sum over j >= 2 of p_j v_j:
   p2 times the slack is at least p1 (w + p2 v_1)^2, by Jensen's w^2 <= (1 - p1) sum p_j v_j^2. *)
Lemma spectral_ceiling v : form p v v <= p a * (1 - p a + p b) * dot v v.
Proof.
have pa0 := S.1 a; have pb0 := S.1 b; have t0 := t_ge0; rewrite /t in t0.
set w := \sum_(j | j != a) (p j * v j); set W := \sum_(j | j != a) (p j * (v j * v j)).
set V := \sum_(j | j != a) (v j * v j); set r := 1 - p a.
have [wE WE VE rE] : [/\ \sum_(j | j != a) (p j * v j) = w, \sum_(j | j != a) (p j * (v j * v j)) = W,
  \sum_(j | j != a) (v j * v j) = V & \sum_(j | j != a) p j = r] by split=> //; exact: rest_mass.
have W0 : 0 <= W by apply: sum_ge0 => j _; apply: Rmult_le_pos; [exact: S.1 | exact: Rle_0_sqr].
have WV : W <= p b * V.
  by rewrite /W /V sum_mulr; apply: sum_le => j /below le; apply: Rmult_le_compat_r => //; exact: Rle_0_sqr.
have jensen s : 0 <= s * s * W - 2 * s * w * w + w * w * r.
  have -> : s * s * W - 2 * s * w * w + w * w * r = \sum_(j | j != a) (p j * ((s * v j - w) * (s * v j - w))).
    transitivity (\sum_(j | j != a) (s * s * (p j * (v j * v j)) + (- (2 * s * w) * (p j * v j) + w * w * p j))).
      by rewrite !sum_add -!sum_mulr WE wE rE; lra.
    by apply: eq_bigr => j _; lra.
  by apply: sum_ge0 => j _; apply: Rmult_le_pos; [exact: S.1 | exact: Rle_0_sqr].
have fE : form p v v = p a * (v a * v a) + W - (p a * v a + w) * (p a * v a + w).
  by rewrite /form /mean (bigD1 a) //= (bigD1 (P := xpredT) (F := fun i => p i * v i) a) //=.
have dE : dot v v = v a * v a + V by rewrite /dot (bigD1 a).
have j1 := jensen r; rewrite fE dE.
case: (Rle_lt_or_eq_dec _ _ pb0) => [pos|zero].
- apply: (Rmult_le_reg_l (p b)) => //.
  have ww : w * w <= r * W.
    case: (Rle_lt_or_eq_dec 0 r); [rewrite /r; lra | by nra | move=> r0].
    by rewrite /r in r0; lra.
  have slack : p b * (p a * (1 - p a + p b) * (v a * v a + V)) - p b * (p a * (v a * v a) + W - (p a * v a + w) * (p a
    * v a + w))
    = p a * ((w + p b * v a) * (w + p b * v a)) + (p a * (1 - p a + p b) * (p b * V - W) + ((p a - p b) * (r * W - w *
      w))).
    by rewrite /r; ring.
  have : 0 <= p a * ((w + p b * v a) * (w + p b * v a)) by apply: Rmult_le_pos => //; exact: Rle_0_sqr.
  have : 0 <= p a * (1 - p a + p b) * (p b * V - W) by apply: Rmult_le_pos; [apply: Rmult_le_pos|]; lra.
  have : 0 <= (p a - p b) * (r * W - w * w) by apply: Rmult_le_pos; lra.
  by move: slack; rewrite -/r; lra.
- have W00 : W = 0 by rewrite -zero in WV; lra.
  have w0 : w = 0 by have := jensen 0; have := jensen 1; rewrite W00; rewrite /r; nra.
  have V0 : 0 <= p a * (1 - p a) * V.
    by apply: Rmult_le_pos; [apply: Rmult_le_pos; lra | apply: sum_ge0 => j _; exact: Rle_0_sqr].
  by rewrite W00 w0 -zero /r; lra.
Qed.

Lemma ceiling_is_half : p a * (1 - p a + p b) <= 1/2.
Proof. by move: t_ge0 (S.1 a) (S.1 b); rewrite /t => ? ? ?; have := Rle_0_sqr (p a - p b);
  have := Rle_0_sqr (1 - p a - p b); rewrite /Rsqr; nra. Qed.

(* ell is the largest eigenvalue of the two rows and columns of p1 and p2, and is attained by a vector on these two. *)
Let B := 2 * p a * p b + t * (p a + p b).
Definition ell := (B + sqrt (B * B - 4 * p a * p b * t)) / 2.

Lemma spectral_floor : exists2 v, 0 < dot v v & form p v v = ell * dot v v.
Proof.
have pa0 := S.1 a; have pb0 := S.1 b; have t0 := t_ge0.
have D0 : 0 <= B * B - 4 * p a * p b * t.
  have -> : B * B - 4 * p a * p b * t = (p a * (1 - p a) - p b * (1 - p b)) * (p a * (1 - p a) - p b * (1 - p b)) +
    4 * (p a * p b) * (p a * p b) by rewrite /B /t; ring.
  by have := Rle_0_sqr (p a * (1 - p a) - p b * (1 - p b)); rewrite /Rsqr; nra.
have root : ell * ell - B * ell + p a * p b * t = 0.
  by have := sqrt_sqrt _ D0; rewrite /ell; set s := sqrt _ => e; nra.
pose two c e i := if i == a then c else if i == b then e else 0.
have sum2 (f : I -> R) : (forall i, i != a -> i != b -> f i = 0) -> \sum_i f i = f a + f b.
  move=> z; rewrite (bigD1 a) //= (bigD1 b) //= big1 ?addR0 // => i /andP [ia ib]; exact: z.
have dotE c e : dot (two c e) (two c e) = c * c + e * e.
  rewrite /dot sum2 /two ?eqxx ?(negbTE ab) // => i /negbTE -> /negbTE ->; lra.
have formE c e : form p (two c e) (two c e) = p a * (c * c) + p b * (e * e) - (p a * c + p b * e) * (p a * c + p b * e).
  by rewrite /form /mean !sum2 /two ?eqxx ?(negbTE ab) // => i /negbTE -> /negbTE ->; lra.
case: (Rle_lt_or_eq_dec _ _ (Rmult_le_pos _ _ pa0 pb0)) => [pos|zero].
- exists (two (- (p a * p b)) (ell - p a * (1 - p a))); rewrite ?formE dotE.
    by have := Rmult_lt_0_compat _ _ pos pos; have := Rle_0_sqr (ell - p a * (1 - p a)); rewrite /Rsqr; lra.
  have e1 : (ell - p a * (1 - p a)) * (ell - p b * (1 - p b)) = p a * p b * (p a * p b).
    by move: root; rewrite /B /t; nra.
  by have := f_equal (Rmult (ell - p a * (1 - p a))) e1; lra.
- have pb00 : p b = 0 by case: (Rmult_integral _ _ (esym zero)) => // pa00; lra.
  exists (two 1 0); rewrite ?formE dotE; first by lra.
  have -> : ell = p a * (1 - p a).
    rewrite /ell (_ : B * B - _ = B * B); last by rewrite pb00; lra.
    by rewrite sqrt_square; [rewrite /B /t pb00; lra | rewrite /B pb00; nra].
  by lra.
Qed.
End Bounds.

(* The largest eigenvalue is the largest value of v^T (diag p - p p^T) v / |v|^2. *)
Theorem softmax_spectral_bounds (L : nat) (p : 'I_L -> R) (i j : 'I_L) :
  simplex p -> j != i -> p j <= p i -> (forall k, k != i -> p k <= p j) ->
  (exists2 v, 0 < dot v v & form p v v = ell p i j * dot v v) /\
  (forall v, form p v v <= p i * (1 - p i + p j) * dot v v) /\
  p i * (1 - p i + p j) <= 1/2.
Proof.
move=> Sp ij order below; split; first exact: spectral_floor.
by split=> [v|]; [exact: spectral_ceiling | exact: ceiling_is_half].
Qed.
