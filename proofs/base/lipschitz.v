(* softmax on the tokens of a mask is 1/(2T)-Lipschitz in every l_p. *)
From mathcomp Require Import ssreflect ssrfun ssrbool eqtype ssrnat seq choice fintype finset bigop.
From Attncert Require Export norm_p softmax.

Local Open Scope R_scope.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section Lipschitz.
Variables (I : finType) (m : I -> R) (T : R).
Hypothesis m0 : forall i, 0 <= m i.
Hypothesis T0 : 0 < T.
Implicit Types z h u v : I -> R.

Definition masked_jacobian z i j := masked m T z i * ((if i == j then 1 else 0) - masked m T z j) / T.

Lemma jacobian_form z u v : dot u (apply (masked_jacobian z) v) = form (masked m T z) u v / T.
Proof.
set p := masked m T z; set M := mean p v.
have entry i : apply (masked_jacobian z) v i = / T * (p i * v i - p i * M).
  transitivity (\sum_j ((if i == j then 1 else 0) * (p j * v j / T) - p i / T * (p j * v j))).
    by apply: eq_bigr => j _; rewrite /masked_jacobian -/p; case: eqP => [->|_]; rewrite /Rdiv; ring.
  by rewrite sum_sub sum_delta -sum_mulr -/(mean p v) -/M; rewrite /Rdiv; ring.
rewrite /form -/M /Rdiv Rmult_comm [mean p u]/mean -sum_mull -sum_sub sum_mulr.
by apply: eq_bigr => i _; rewrite entry; ring.
Qed.

Lemma half i : (exists2 i, 0 < m i & true) -> forall z, \sum_j Rabs (masked_jacobian z i j) <= 1 / (2 * T).
Proof.
case=> k mk _ z; have S := masked_simplex m0 z T mk; set p := masked m T z in S *.
have p1 := at_most_1 S i; have T1 := Rinv_0_lt_compat _ T0.
have rest : \sum_(j | j != i) p j = 1 - p i by rewrite -S.2 [in RHS](bigD1 i) //=; lra.
rewrite (bigD1 i) //= /masked_jacobian -/p eqxx (eq_bigr (fun j => p i / T * p j)) => [|j /negbTE ji]; last first.
  rewrite eq_sym ji (_ : p i * (0 - p j) / T = - (p i / T * p j)); last by rewrite /Rdiv; ring.
  rewrite Rabs_Ropp Rabs_pos_eq //; apply: Rmult_le_pos; last exact: S.1.
  by apply: Rmult_le_pos; [exact: S.1 | lra].
rewrite -sum_mulr rest Rabs_pos_eq; last by apply: Rmult_le_pos; [apply: Rmult_le_pos; lra | lra].
rewrite (_ : 1 / (2 * T) = 1/2 * / T); last by field; lra.
rewrite (_ : _ + _ = 2 * (p i * (1 - p i)) * / T); last by rewrite /Rdiv; ring.
by apply: Rmult_le_compat_r; [lra | have := Rle_0_sqr (2 * p i - 1); rewrite /Rsqr; lra].
Qed.

Lemma jacobian_sym z i j : masked_jacobian z i j = masked_jacobian z j i.
Proof. by rewrite /masked_jacobian eq_sym; case: eqP => [->|_] //; rewrite /Rdiv; ring. Qed.

Variable k : I.
Hypothesis mk : 0 < m k.
Variables z z' : I -> R.
Let delta i := masked m T z' i - masked m T z i.
Let h i := z' i - z i.

Lemma c0 : 0 < 1 / (2 * T).
Proof. by apply: Rdiv_lt_0_compat; lra. Qed.

Lemma rows y i : \sum_j Rabs (masked_jacobian y i j) <= 1 / (2 * T).
Proof. by apply: half; exists k. Qed.

Lemma columns y j : \sum_i Rabs (masked_jacobian y i j) <= 1 / (2 * T).
Proof. by rewrite (eq_bigr (fun i => Rabs (masked_jacobian y j i))) => [|i _];
  [exact: rows | rewrite jacobian_sym]. Qed.

Lemma mean_value u : exists y, dot u delta = dot u (apply (masked_jacobian y) h).
Proof. by have [c e] := masked_mean_value m0 z z' u mk T0; exists (fun j => z j + c * (z' j - z j));
  rewrite jacobian_form. Qed.

Lemma masked_lipschitz p : 1 <= p -> norm_p p delta <= 1 / (2 * T) * norm_p p h.
Proof.
move=> p1; have [y e] := mean_value (dual p delta).
apply: Rle_trans (schur c0 (rows y) (columns y) h p1); rewrite -[X in _ <= X]Rmult_1_l; apply: norm_p_le; try lra.
rewrite powerE; last by lra.
rewrite /Rpower ln_1 mulR0 exp_0 Rmult_1_l; have := dual_le delta (apply (masked_jacobian y) h) p1; rewrite e; lra.
Qed.

Lemma masked_lipschitz_inf : norm_inf delta <= 1 / (2 * T) * norm_inf h.
Proof.
have h0 : 0 <= norm_inf h by exact: maximum_ge0.
apply: maximum_le => [|i _]; first by apply: Rmult_le_pos => //; have := c0; lra.
have [y e] := mean_value (fun j => if i == j then 1 else 0).
have := schur_inf c0 (rows y) h; rewrite /dot !sum_delta in e; rewrite e => le; apply: Rle_trans le.
exact: (maximum_ge (fun i => Rabs (apply (masked_jacobian y) h i))).
Qed.
End Lipschitz.

Section Softmax.
Variables (I : finType) (T : R).
Hypothesis T0 : 0 < T.
Implicit Types z : I -> R.

Lemma norm_p_empty p (u : I -> R) : (I =1 pred0) -> norm_p p u = 0.
Proof. by move=> none; rewrite /norm_p big1 ?power0 // => i; have := none i. Qed.

Lemma norm_inf_empty (u : I -> R) : (I =1 pred0) -> norm_inf u = 0.
Proof.
move=> none; apply: Rle_antisym; last exact: maximum_ge0.
by apply: maximum_le => [|i]; [lra | have := none i].
Qed.

Lemma softmax_lipschitz p z z' : 1 <= p ->
  norm_p p (fun i => softmax T z' i - softmax T z i) <= 1 / (2 * T) * norm_p p (fun i => z' i - z i).
Proof.
move=> p1; case: (pickP I) => [k _|none]; last by rewrite !norm_p_empty //; lra.
have := masked_lipschitz (m := fun _ => 1) (fun _ => Rlt_le _ _ Rlt_0_1) T0 (k := k) Rlt_0_1 z z' p1.
by rewrite /norm_p (eq_bigr (fun i => power (Rabs (softmax T z' i - softmax T z i)) p)) // => i _; rewrite !masked_all.
Qed.

Lemma softmax_lipschitz_inf z z' :
  norm_inf (fun i => softmax T z' i - softmax T z i) <= 1 / (2 * T) * norm_inf (fun i => z' i - z i).
Proof.
case: (pickP I) => [k _|none]; last by rewrite !norm_inf_empty //; lra.
have := masked_lipschitz_inf (m := fun _ => 1) (fun _ => Rlt_le _ _ Rlt_0_1) T0 (k := k) Rlt_0_1 z z'.
rewrite {1}/norm_inf /maximum (eq_bigr (fun i => if xpredT i then Rabs (softmax T z' i - softmax T z i) else 0)) // =>
  i _.
by rewrite /= !masked_all.
Qed.

Lemma softmax_jacobian_sums z (i : I) :
  \sum_j Rabs (softmax_jacobian T z i j) <= 1 / (2 * T) /\ \sum_j Rabs (softmax_jacobian T z j i) <= 1 / (2 * T).
Proof.
have m0 (j : I) : 0 <= (fun _ => 1) j by lra.
have e a b : softmax_jacobian T z a b = masked_jacobian (fun _ => 1) T z a b by rewrite /masked_jacobian !masked_all.
split.
- rewrite (eq_bigr (fun j => Rabs (masked_jacobian (fun _ => 1) T z i j))) => [|j _]; last by rewrite e.
  exact: (rows m0 T0 (k := i) Rlt_0_1).
- rewrite (eq_bigr (fun j => Rabs (masked_jacobian (fun _ => 1) T z j i))) => [|j _]; last by rewrite e.
  exact: (columns m0 T0 (k := i) Rlt_0_1).
Qed.
End Softmax.
