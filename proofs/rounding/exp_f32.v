(* The f32 exponential at T = 1, from its argument on, and what it leaves of a softmax's weight. u = 2^-24.

   x is a float and n an integer with |n| <= 551 and |x - n ln2| <= 0.34695, as rint(x log2(e)) is. A kernel reduces x to t, and takes
   1 + (t + t^2 q(t)) for e^(x - n ln2). Gappa proves what the roundings do (polynomial_*.v, reduction_*.v), Interval how far the
   polynomial without them is from e^t. *)
From Coq Require Import Reals Lra List Lia.
From Flocq Require Import Core.
From Interval Require Import Tactic.
From Gappa Require Import Gappa_library.
Require Import constants.
Require polynomial_fused polynomial_plain reduction_fused reduction_plain.
Local Open Scope R_scope.

Definition u := / 2 ^ 24.
Definition rnd := rounding_float rndNE 24 (-149).  (* to f32, ties to even *)
Definition float x := rnd x = x.

(* With one rounding for each multiply-add. *)
Module Fused.
Definition reduced x n := rnd (rnd (x - n * head) - n * tail).
Definition exponential t :=
  let t2 := rnd (t * t) in
  let q := rnd (k3 * t + k2) in
  let low := rnd (k1 * t + k0) in
  let q := rnd (k4 * t2 + q) in
  let q := rnd (q * t2 + low) in
  rnd (Float1 1 + rnd (t2 * q + t)).
End Fused.

(* With a rounding for each operation. *)
Module Plain.
Definition reduced x n := rnd (rnd (x - rnd (n * head)) - rnd (n * tail)).
Definition exponential t :=
  let t2 := rnd (t * t) in
  let q := rnd (rnd (k3 * t) + k2) in
  let low := rnd (rnd (k1 * t) + k0) in
  let q := rnd (rnd (k4 * t2) + q) in
  let q := rnd (rnd (q * t2) + low) in
  rnd (Float1 1 + rnd (rnd (t2 * q) + t)).
End Plain.

(* The same polynomial without a rounding. *)
Definition polynomial t := Float1 1 + (t * t * ((k4 * (t * t) + (k3 * t + k2)) * (t * t) + (k1 * t + k0)) + t).

Ltac numbers := unfold constants.k0, constants.k1, constants.k2, constants.k3, constants.k4, constants.head,
  constants.tail, u, Float1, float2R, Defs.F2R; cbn.

(* What Gappa's lemma says of an interval around 0. *)
Ltac from_gappa lemma bound :=
  let err := fresh in set (err := Rabs _); destruct (Rle_or_lt err (float2R bound)) as [?|?];
  [apply Rle_trans with (float2R bound); [assumption|unfold bound; numbers; lra]|
   exfalso; apply lemma; repeat split; unfold BND; cbn; unfold float2R, Defs.F2R; cbn; unfold rnd in *; try lra;
   try (intros [_ up]; change (err <= float2R bound) in up; lra)].

Lemma roundings_fused t : float t -> -0.347 <= t <= 0.347 ->
  Rabs ((Fused.exponential t - polynomial t) / polynomial t) <= 1.1954 * u.
Proof. intros F H; rewrite <- F in *; from_gappa (polynomial_fused.l1 t) polynomial_fused.f4. Qed.

Lemma roundings_plain t : float t -> -0.347 <= t <= 0.347 ->
  Rabs ((Plain.exponential t - polynomial t) / polynomial t) <= 1.2481 * u.
Proof. intros F H; rewrite <- F in *; from_gappa (polynomial_plain.l1 t) polynomial_plain.f4. Qed.

Lemma fit t : -0.347 <= t <= 0.347 -> Rabs (polynomial t / exp t - 1) <= 3.25 / 10^9.
Proof.
  intros H; unfold polynomial; numbers.
  interval with (i_bisect t, i_taylor t, i_degree 12, i_prec 70, i_depth 12).
Qed.

Lemma polynomial_pos t : -0.347 <= t <= 0.347 -> 0 < polynomial t.
Proof.
  intros H; assert (F := fit t H); assert (E := exp_pos t); apply Rabs_le_inv in F.
  replace (polynomial t) with (polynomial t / exp t * exp t) by (field; lra).
  apply Rmult_lt_0_compat; lra.
Qed.

(* From t on: e computed with the relative error a from a t that is d off. *)
Lemma from_reduced a b d e t r : -0.347 <= t <= 0.347 -> Rabs ((e - polynomial t) / polynomial t) <= a ->
  Rabs (t - r) <= d -> (forall a' b' d', Rabs a' <= a -> Rabs b' <= 3.25 / 10^9 -> Rabs d' <= d ->
  Rabs ((1 + a') * (1 + b') * exp d' - 1) <= b) -> Rabs (e / exp r - 1) <= b.
Proof.
  intros H A D together.
  replace (e / exp r) with ((1 + (e - polynomial t) / polynomial t) * (1 + (polynomial t / exp t - 1)) * exp (t - r)).
  - apply together; [exact A|now apply fit|exact D].
  - replace (exp (t - r)) with (exp t / exp r) by (unfold Rminus; rewrite exp_plus, exp_Ropp; reflexivity).
    assert (e0 := polynomial_pos t H); assert (e1 := exp_pos t); assert (e2 := exp_pos r); field; repeat split; lra.
Qed.

Lemma integer_fixed n : rounding_fixed rndNE 0 (IZR n) = IZR n.
Proof.
  apply round_generic; [apply valid_rnd_NE || apply valid_rnd_N|].
  apply generic_format_FIX; exists (Float radix2 n 0); unfold F2R; cbn; [now rewrite Rmult_1_r|reflexivity].
Qed.

Lemma halves : Rabs (head + tail - ln 2) <= 0.0153 * u / 551.
Proof. numbers; interval with (i_prec 90). Qed.

Section Reduction.
Variables (x : R) (n : Z).
Hypotheses (x_float : float x) (n_small : (Z.abs n <= 551)%Z) (near : Rabs (x - IZR n * ln 2) <= 0.34695).

Lemma n_bounds : -551 <= IZR n <= 551.
Proof. split; apply IZR_le; lia. Qed.

Lemma n_times e d : Rabs e <= d -> Rabs (IZR n * e) <= 551 * d.
Proof.
  intros E; rewrite Rabs_mult; apply Rmult_le_compat; try apply Rabs_pos; [|exact E].
  apply Rabs_le; exact n_bounds.
Qed.

Lemma by_head_and_tail : Rabs (x - IZR n * head - IZR n * tail - (x - IZR n * ln 2)) <= 0.0153 * u.
Proof.
  replace (_ - _) with (IZR n * - (head + tail - ln 2)) by ring.
  replace (0.0153 * u) with (551 * (0.0153 * u / 551)) by field.
  apply n_times; rewrite Rabs_Ropp; exact halves.
Qed.

Lemma in_range : n <> 0%Z -> -512 <= x <= 512 /\ 0.25 <= Rabs x /\ -0.4 <= x - IZR n * head <= 0.4 /\
  Rabs (x - IZR n * head - IZR n * tail) <= 0.347.
Proof.
  intros nonzero; assert (N := n_bounds); assert (S := by_head_and_tail); apply Rabs_le_inv in S.
  assert (T := n_times tail 0.00004); assert (B : Rabs tail <= 0.00004) by (numbers; interval).
  assert (T' := Rabs_le_inv _ _ (T B)); assert (X := Rabs_le_inv _ _ near); clear T.
  assert (U : 0 < u < 0.0000001) by (unfold u; lra).
  assert (L : 0.6931 <= ln 2 <= 0.6932) by (split; interval).
  assert (M : -382 <= IZR n * ln 2 <= 382) by (revert N L; generalize (IZR n) (ln 2); intros; split; interval).
  repeat split; try lra; [|apply Rabs_le; lra].
  assert (A : 0.6931 <= Rabs (IZR n * ln 2)).
  { rewrite Rabs_mult; rewrite (Rabs_pos_eq (ln 2)) by lra; replace 0.6931 with (1 * 0.6931) by ring.
    apply Rmult_le_compat; try lra. rewrite <- abs_IZR; apply IZR_le; lia. }
  assert (B' := Rabs_triang_inv (IZR n * ln 2) (IZR n * ln 2 - x)).
  replace (IZR n * ln 2 - (IZR n * ln 2 - x)) with x in B' by ring.
  rewrite (Rabs_minus_sym (IZR n * ln 2) x) in B'. lra.
Qed.

Lemma nothing_to_reduce : n = 0%Z -> Fused.reduced x (IZR n) = x /\ Plain.reduced x (IZR n) = x.
Proof.
  assert (zero : rnd 0 = 0) by (apply round_0, valid_rnd_N).
  intros ->; unfold Fused.reduced, Plain.reduced; rewrite !Rmult_0_l, zero, !Rminus_0_r, x_float.
  split; exact x_float.
Qed.

(* r is what the exponential is to be of. *)
Let r := x - IZR n * ln 2.

Lemma exact_below d reduced : 0 <= d -> (n = 0%Z -> reduced = x) ->
  (n <> 0%Z -> Rabs (reduced - (x - IZR n * head - IZR n * tail)) <= d) -> Rabs (reduced - r) <= d + 0.0153 * u.
Proof.
  intros D at_zero elsewhere; assert (U : 0 < u) by (unfold u; lra); destruct (Z.eq_dec n 0) as [z|nz].
  - rewrite (at_zero z); unfold r; rewrite z, Rmult_0_l, Rminus_0_r, Rminus_diag_eq, Rabs_R0 by reflexivity; lra.
  - replace (reduced - r) with ((reduced - (x - IZR n * head - IZR n * tail)) +
      (x - IZR n * head - IZR n * tail - (x - IZR n * ln 2))) by (unfold r; ring).
    eapply Rle_trans; [apply Rabs_triang|]; apply Rplus_le_compat; [now apply elsewhere|exact by_head_and_tail].
Qed.

Ltac with_numbers H := unfold head, tail, float2R, Defs.F2R in H; cbn in H.
Ltac by_gappa lemma bound nz :=
  let X := fresh in let A := fresh in let N1 := fresh in let N2 := fresh in let N := fresh in let whole := fresh in
  destruct (in_range nz) as (X & A & N1 & N2); assert (N := n_bounds); assert (whole := integer_fixed n);
  rewrite <- x_float in *; rewrite <- whole in *; with_numbers N1; with_numbers N2;
  from_gappa lemma bound; rewrite Rmult_0_l; apply Rabs_pos.

Lemma reduced_fused : Rabs (Fused.reduced x (IZR n) - r) <= / 2 ^ 26 + 0.0153 * u.
Proof.
  apply exact_below; [lra|intros z; now apply nothing_to_reduce|intros nz; unfold Fused.reduced].
  by_gappa (reduction_fused.l1 x (IZR n)) reduction_fused.f10 nz.
Qed.

Lemma reduced_plain : Rabs (Plain.reduced x (IZR n) - r) <= 17 / 2 ^ 30 + 0.0153 * u.
Proof.
  apply exact_below; [lra|intros z; now apply nothing_to_reduce|intros nz; unfold Plain.reduced].
  by_gappa (reduction_plain.l1 x (IZR n)) reduction_plain.f10 nz.
Qed.

Lemma reduced_range t d : Rabs (t - r) <= d -> d <= 0.00004 -> -0.347 <= t <= 0.347.
Proof. intros T D; apply Rabs_le_inv in T; assert (H := Rabs_le_inv _ _ near); unfold r in T; lra. Qed.

Theorem exp_f32_fused : Rabs (Fused.exponential (Fused.reduced x (IZR n)) / exp r - 1) <= 1.52 * u.
Proof.
  assert (D := reduced_fused); assert (H := reduced_range _ _ D ltac:(unfold u; lra)).
  apply (from_reduced (1.1954 * u) _ (/ 2 ^ 26 + 0.0153 * u) _ _ _ H); [|exact D|].
  - apply roundings_fused; [apply round_generic; [apply valid_rnd_N|]|exact H].
    apply generic_format_round; [apply FLT_exp_valid; reflexivity|apply valid_rnd_N].
  - unfold u; intros a b d A B E; apply Rabs_le_inv in A, B, E; interval with (i_prec 80).
Qed.

Theorem exp_f32_plain : Rabs (Plain.exponential (Plain.reduced x (IZR n)) / exp r - 1) <= 1.6 * u.
Proof.
  assert (D := reduced_plain); assert (H := reduced_range _ _ D ltac:(unfold u; lra)).
  apply (from_reduced (1.2481 * u) _ (17 / 2 ^ 30 + 0.0153 * u) _ _ _ H); [|exact D|].
  - apply roundings_plain; [apply round_generic; [apply valid_rnd_N|]|exact H].
    apply generic_format_round; [apply FLT_exp_valid; reflexivity|apply valid_rnd_N].
  - unfold u; intros a b d A B E; apply Rabs_le_inv in A, B, E; interval with (i_prec 80).
Qed.
End Reduction.

(* At another temperature t comes from x, n and T by one product more. docs/budgets.md has what that makes of |t - r|, less
   than 1.1 u, on paper. From there: *)
Theorem exp_f32_any_temperature t r : float t -> -0.347 <= t <= 0.347 -> Rabs (t - r) <= 1.1 * u ->
  Rabs (Fused.exponential t / exp r - 1) <= 2.45 * u /\ Rabs (Plain.exponential t / exp r - 1) <= 2.45 * u.
Proof.
  intros F H D; split.
  - apply (from_reduced (1.1954 * u) _ (1.1 * u) _ _ _ H); [now apply roundings_fused|exact D|].
    unfold u; intros a b d A B E; apply Rabs_le_inv in A, B, E; interval with (i_prec 80).
  - apply (from_reduced (1.2481 * u) _ (1.1 * u) _ _ _ H); [now apply roundings_plain|exact D|].
    unfold u; intros a b d A B E; apply Rabs_le_inv in A, B, E; interval with (i_prec 80).
Qed.

(* The softmax's weight before its last rounding, which is half an ulp, where no logit is -inf or cut off at the floor, and
   the row is not a deep one (docs/budgets.md). `es` are the computed exponentials of a row without their common power of
   two, `Es` the exact ones; `sum` is what the kernel adds them up to, 2.03 u from their exact sum (there, on paper);
   `inverse` is 1 / sum in two parts; `weight` is e times its high part, rounded where there is no FMA, and e times its low
   part, rounded. *)
Definition total := fold_right Rplus 0.

Lemma total_near c es Es : Forall2 (fun e E => 0 < E /\ Rabs (e - E) <= c * E) es Es ->
  0 <= total Es /\ Rabs (total es - total Es) <= c * total Es.
Proof.
  unfold total; induction 1 as [|e E es Es [pos near] _ [nonneg IH]]; cbn [fold_right].
  - rewrite Rminus_diag_eq, Rabs_R0 by reflexivity; lra.
  - split; [lra|].
    replace (e + _ - _) with ((e - E) + (fold_right Rplus 0 es - fold_right Rplus 0 Es)) by ring.
    eapply Rle_trans; [apply Rabs_triang|lra].
Qed.

Lemma relative a b c : 0 < b -> Rabs (a / b - 1) <= c <-> Rabs (a - b) <= c * b.
Proof.
  intros pos; replace (a / b - 1) with ((a - b) / b) by (field; lra); unfold Rdiv; rewrite Rabs_mult, (Rabs_pos_eq (/ b)).
  - split; intros H.
    + apply Rmult_le_reg_r with (/ b); [now apply Rinv_0_lt_compat|].
      replace (c * b * / b) with c by (field; lra); exact H.
    + apply Rmult_le_reg_r with b; [exact pos|]; replace (Rabs (a - b) * / b * b) with (Rabs (a - b)) by (field; lra).
      exact H.
  - left; now apply Rinv_0_lt_compat.
Qed.

Lemma in_units c es Es : Forall2 (fun e E => 0 < E /\ Rabs (e / E - 1) <= c) es Es ->
  Forall2 (fun e E => 0 < E /\ Rabs (e - E) <= c * E) es Es.
Proof. induction 1 as [|e E es Es [pos near] _ IH]; constructor; [split; [exact pos|now apply relative]|exact IH]. Qed.

Section Softmax.
Variables (c : R) (e E : R) (es Es : list R) (sum inverse weight : R).
Hypotheses
  (c_small : 0 <= c <= 2.45 * u)
  (exps : Forall2 (fun e E => 0 < E /\ Rabs (e / E - 1) <= c) (e :: es) (E :: Es))
  (sums : Rabs (sum / total (e :: es) - 1) <= 2.03 * u)
  (inv : Rabs (inverse * sum - 1) <= / 2 ^ 48)
  (prod : Rabs (weight / (e * inverse) - 1) <= 1.001 * u).

Lemma weight_near bound :
  (forall a b c' d f, Rabs a <= c -> Rabs b <= / 2 ^ 48 -> Rabs c' <= 1.001 * u -> Rabs d <= 2.03 * u -> Rabs f <= c ->
    Rabs ((1 + a) * (1 + b) * (1 + c') / ((1 + d) * (1 + f)) - 1) <= bound) ->
  Rabs (weight / (E / total (E :: Es)) - 1) <= bound.
Proof.
  intros together; assert (U : 0 < u < 0.0000001) by (unfold u; lra).
  assert (first : 0 < E /\ Rabs (e / E - 1) <= c) by now inversion exps.
  assert (near := total_near c (e :: es) (E :: Es)).
  destruct near as [nonneg near]; [now apply in_units|].
  destruct first as [posE firstE].
  assert (posT : 0 < total (E :: Es)).
  { assert (0 <= total Es); [|unfold total in *; cbn [fold_right]; lra].
    inversion exps as [|? ? ? ? _ rest]; subst; now apply (total_near c es), in_units. }
  assert (near' : Rabs (total (e :: es) / total (E :: Es) - 1) <= c) by now apply relative.
  set (Z := total (E :: Es)) in *; set (z := total (e :: es)) in *.
  assert (posz : 0 < z) by (apply Rabs_le_inv in near; nra).
  assert (posS : 0 < sum).
  { apply Rabs_le_inv in sums; replace sum with (sum / z * z) by (field; lra); apply Rmult_lt_0_compat; lra. }
  assert (pose : 0 < e).
  { apply Rabs_le_inv in firstE; replace e with (e / E * E) by (field; lra); apply Rmult_lt_0_compat; lra. }
  assert (posI : inverse <> 0).
  { intros ->; rewrite Rmult_0_l, Rminus_0_l, Rabs_Ropp, Rabs_R1 in inv; lra. }
  replace (weight / (E / Z)) with ((1 + (e / E - 1)) * (1 + (inverse * sum - 1)) * (1 + (weight / (e * inverse) - 1)) /
    ((1 + (sum / z - 1)) * (1 + (z / Z - 1)))) by (field; repeat split; lra).
  now apply together.
Qed.
End Softmax.

(* c is of the exponentials at T = 1, or at any temperature. *)
Theorem softmax_f32 c bound e E es Es sum inverse weight :
  c = 1.6 * u /\ bound = 6.24 * u \/ c = 2.45 * u /\ bound = 7.94 * u ->
  Forall2 (fun e E => 0 < E /\ Rabs (e / E - 1) <= c) (e :: es) (E :: Es) ->
  Rabs (sum / total (e :: es) - 1) <= 2.03 * u -> Rabs (inverse * sum - 1) <= / 2 ^ 48 ->
  Rabs (weight / (e * inverse) - 1) <= 1.001 * u ->
  Rabs (weight / (E / total (E :: Es)) - 1) <= bound.
Proof.
  intros [[-> ->]|[-> ->]] exps sums inv prod; eapply weight_near; eauto; try (unfold u; lra);
    unfold u; intros a b c d f A B C D F; apply Rabs_le_inv in A, B, C, D, F; interval with (i_prec 80).
Qed.
