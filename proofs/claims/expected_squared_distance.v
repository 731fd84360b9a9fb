(* expected-squared-distance: all L >= 2, N <= L and d, all real weights and tokens. *)
From mathcomp Require Import ssreflect ssrfun ssrbool eqtype ssrnat seq choice fintype finset bigop.
From mathcomp Require Import binomial.
From Attncert Require Import vectors.

Local Open Scope R_scope.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

(* One coordinate of y_i = a_i x_i. *)
Section Moment.
Variables (L N : nat).
Hypothesis two : (1 < L)%nat.
Let l := INR L.
Let n := INR N.
Notation q k := (INR 'C(L - k, N)).
Definition out (I : {set 'I_L}) (i : 'I_L) : R := if i \in I then 0 else 1.
Definition same (i j : 'I_L) : R := if i == j then 1 else 0.

Lemma out3 i j k : \sum_(I : {set 'I_L} | #|I| == N) (out I i * (out I j * out I k)) =
  q 3 + (q 2 - q 3) * (same i j + same i k + same j k) + (q 1 - 3 * q 2 + 2 * q 3) * (same i j * same j k).
Proof.
transitivity (q #|i |: [set j; k]|).
  transitivity (INR #|[set I : {set 'I_L} | (I \subset ~: (i |: [set j; k])) && (#|I| == N)]|); last first.
    by rewrite cards_draws cardsCs setCK card_ord.
  rewrite -[RHS]mulR1 cardsE -sum_const [RHS]big_mkcond [LHS]big_mkcond; apply: eq_bigr => I _ /=.
  rewrite ?inE subsetC !subUset !sub1set !in_setC /out.
  by case: (i \in I); case: (j \in I); case: (k \in I); case: (#|I| == N) => /=; lra.
rewrite cardsU1 cards2 !inE /same; case: (eqVneq i j) => [->|ij].
  by rewrite /=; case: (eqVneq j k) => jk /=; rewrite add0n; lra.
case: (eqVneq i k) => [e|ik]; first by rewrite -e eq_sym (negbTE ij) /= add0n; lra.
by case: (eqVneq j k) => jk /=; rewrite add1n; lra.
Qed.

Lemma sum_same (f : 'I_L -> R) i : \sum_j (f j * same i j) = f i.
Proof.
rewrite (bigD1 i) //= /same eqxx big1 ?addR0 ?mulR1 // => j /negbTE.
by rewrite eq_sym => ->; rewrite mulR0.
Qed.

Lemma binomial_step k : INR k.+1 * INR 'C(k, N) = (INR k.+1 - n) * INR 'C(k.+1, N).
Proof.
case: (leqP N k.+1) => le; last by rewrite !bin_small ?mulR0 // ltnW.
have := congr1 INR (mul_bin_down k.+1 N); rewrite !mult_INR /= => ->.
by rewrite minus_INR //; apply/leP.
Qed.
Notation sets := (fun I : {set 'I_L} => #|I| == N).

Lemma once (f : 'I_L -> R) :
  \sum_(I | sets I) (\sum_i (out I i * (out I i * out I i) * f i)) = q 1 * (\sum_i f i).
Proof.
rewrite exchange_big sum_mulr; apply: eq_bigr => i _ /=.
by rewrite sum_mull out3 /same eqxx; lra.
Qed.

Lemma twice (f : 'I_L -> 'I_L -> R) :
  \sum_(I | sets I) (\sum_i (\sum_j (out I i * (out I j * out I j) * f i j))) =
  q 2 * (\sum_i (\sum_j f i j)) + (q 1 - q 2) * (\sum_i f i i).
Proof.
rewrite exchange_big !sum_mulr -sum_add; apply: eq_bigr => i _ /=.
rewrite exchange_big sum_mulr -(sum_same (f i)) sum_mulr -sum_add; apply: eq_bigr => j _ /=.
by rewrite sum_mull out3 (_ : same j j = 1) ?/same ?eqxx //; lra.
Qed.

Variable y : 'I_L -> R.
Let A := \sum_i (y i * y i).
Let Y := \sum_i y i.

Lemma thrice : \sum_(I | sets I) (\sum_i (\sum_j (\sum_k (out I i * (out I j * out I k) * (y j * y k))))) =
  q 3 * l * (Y * Y) + (q 2 - q 3) * (2 * (Y * Y) + l * A) + (q 1 - 3 * q 2 + 2 * q 3) * A.
Proof.
transitivity (\sum_i (q 3 * (Y * Y) + (q 2 - q 3) * (2 * Y * y i + A) + (q 1 - 3 * q 2 + 2 * q 3) * (y i * y i))).
  rewrite exchange_big; apply: eq_bigr => i _ /=; rewrite exchange_big /=.
  transitivity (\sum_j (q 3 * Y * y j + (q 2 - q 3) * (y j * Y * same i j + y i * y j + y j * y j) +
    (q 1 - 3 * q 2 + 2 * q 3) * (y j * y j * same i j))).
    apply: eq_bigr => j _; rewrite exchange_big /=.
    transitivity (\sum_k (q 3 * y j * y k + ((q 2 - q 3) * (same i j * y j * y k + y j * (y k * same i k) + y j * (y k
      * same j k)) +
      (q 1 - 3 * q 2 + 2 * q 3) * (same i j * y j * (y k * same j k))))).
      by apply: eq_bigr => k _; rewrite sum_mull out3; lra.
    by rewrite !sum_add -!sum_mulr !sum_add -!sum_mulr !sum_same -/Y; lra.
  by rewrite !sum_add -!sum_mulr !sum_add -!sum_mulr !sum_same -/Y -/A; lra.
rewrite !sum_add -!sum_mulr !sum_add -!sum_mulr !sum_const -/Y -/A.
by rewrite (_ : #|_| = L) ?card_ord //; rewrite -/l; lra.
Qed.

Definition context1 (I : {set 'I_L}) := \sum_(j in I) y j.
Definition total := \sum_(I | sets I) (\sum_(i | i \notin I) ((y i - context1 I) * (y i - context1 I))).

Lemma total_is : total = INR 'C(L, N) * ((l - n) / l * ((n + 1) * A + n * (n - 3) / (l - 1) * (Y * Y - A))).
Proof.
pose u i := y i - Y.
have split : total = \sum_(I | sets I) (\sum_i (out I i * (out I i * out I i) * (u i * u i))) +
   \sum_(I | sets I) (\sum_i (\sum_j (out I i * (out I j * out I j) * (2 * u i * y j)))) +
   \sum_(I | sets I) (\sum_i (\sum_j (\sum_k (out I i * (out I j * out I k) * (y j * y k))))).
  rewrite -!sum_add; apply: eq_bigr => I _; rewrite -!sum_add [LHS]big_mkcond; apply: eq_bigr => i _.
  have r : \sum_j (out I j * y j) = Y - context1 I.
    have o1 : \sum_(j | j \in I) (out I j * y j) = 0 by rewrite big1 // => j jI; rewrite /out jI; lra.
    have o2 : \sum_(j | j \notin I) (out I j * y j) = \sum_(j | j \notin I) y j.
      by apply: eq_bigr => j /negbTE jI; rewrite /out jI; lra.
    by rewrite (sum_split (fun j => j \in I)) o1 o2 /Y (sum_split (fun j => j \in I) y) /context1; lra.
  have e2 : \sum_j (out I i * (out I j * out I j) * (2 * u i * y j)) = out I i * 2 * u i * (Y - context1 I).
    rewrite -r sum_mulr; apply: eq_bigr => j _; rewrite /out; case: (j \in I); lra.
  have e3 : \sum_j (\sum_k (out I i * (out I j * out I k) * (y j * y k))) = out I i * ((Y - context1 I) * (Y -
    context1 I)).
    rewrite -r sum_prod sum_mulr; apply: eq_bigr => j _; rewrite sum_mulr; apply: eq_bigr => k _; lra.
  by rewrite e2 e3 /u /out; case: (i \in I) => /=; lra.
have l2 : 2 <= l by rewrite -[2]/(INR 2); apply: le_INR; apply/leP.
have uu : \sum_i (u i * u i) = A - 2 * (Y * Y) + l * (Y * Y).
  transitivity (\sum_i (y i * y i + (- 2 * Y) * y i + Y * Y)); first by apply: eq_bigr => i _; rewrite /u; lra.
  by rewrite !sum_add -sum_mulr sum_const -/A -/Y (_ : #|_| = L) ?card_ord //; rewrite -/l; lra.
have uy : \sum_i (\sum_j (2 * u i * y j)) = 2 * (1 - l) * (Y * Y).
  transitivity (\sum_i (2 * Y * y i + - 2 * (Y * Y))).
    by apply: eq_bigr => i _; rewrite -sum_mulr -/Y /u; lra.
  by rewrite sum_add -sum_mulr sum_const -/Y (_ : #|_| = L) ?card_ord //; rewrite -/l; lra.
have ud : \sum_i (2 * u i * y i) = 2 * (A - Y * Y).
  transitivity (\sum_i (2 * (y i * y i) + - 2 * Y * y i)); first by apply: eq_bigr => i _; rewrite /u; lra.
  by rewrite sum_add -!sum_mulr -/A -/Y; lra.
rewrite split once twice thrice uu uy ud.
have b1 : l * q 1 = (l - n) * INR 'C(L, N).
  by have := binomial_step L.-1; rewrite (prednK (ltnW two)) -subn1.
have b2 : (l - 1) * q 2 = (l - 1 - n) * q 1.
  have := binomial_step (L - 2).
  rewrite (_ : (L - 2).+1 = (L - 1)%nat); last by rewrite -subSn.
  by rewrite minus_INR; [| apply/leP; exact: ltnW].
have b3 : (l - 2) * q 3 = (l - 2 - n) * q 2.
  case: (ltnP 2 L) => [three|le].
    have := binomial_step (L - 3).
    rewrite (_ : (L - 3).+1 = (L - 2)%nat); last by rewrite -subSn.
    by rewrite minus_INR; [| apply/leP].
  have L2 : L = 2%nat by apply/eqP; rewrite eqn_leq le two.
  rewrite /l /n L2 /=; case: N => [|m]; rewrite ?bin0 ?bin0n /=; lra.
have q1E : q 1 = (l - n) / l * INR 'C(L, N) by apply: (Rmult_eq_reg_l l); [rewrite b1; field; lra | lra].
have q2E : q 2 = (l - 1 - n) / (l - 1) * q 1 by apply: (Rmult_eq_reg_l (l - 1)); [rewrite b2; field; lra | lra].
transitivity (q 1 * (A + (l - 2) * (Y * Y)) + 2 * (q 2 * (1 - l) * (Y * Y) + (q 1 - q 2) * (A - Y * Y)) +
  (l - 2) * q 3 * (Y * Y - A) + q 2 * (2 * (Y * Y) + l * A) + (q 1 - 3 * q 2) * A); first by lra.
by rewrite b3 q2E q1E; field; lra.
Qed.
End Moment.

Lemma moment (L N d : nat) (y : 'I_L -> 'I_d -> R) : (1 < L)%nat -> (N <= L)%nat ->
  let s (I : {set 'I_L}) k := \sum_(j in I) y j k in
  let A := \sum_i dot (y i) (y i) in let B := dot (fun k => \sum_i y i k) (fun k => \sum_i y i k) in
  (\sum_(I : {set 'I_L} | #|I| == N) (\sum_(i | i \notin I) dot (fun k => y i k - s I k) (fun k => y i k - s I k)))
    / INR 'C(L, N) =
  (INR L - INR N) / INR L * ((INR N + 1) * A + INR N * (INR N - 3) / (INR L - 1) * (B - A)).
Proof.
move=> two NL s A B; have C0 : 0 < INR 'C(L, N) by rewrite -[0]/(INR 0); apply: lt_INR; apply/leP; rewrite bin_gt0.
have l2 : 2 <= INR L by rewrite -[2]/(INR 2); apply: le_INR; apply/leP.
apply: (Rmult_eq_reg_l (INR 'C(L, N))); last by lra.
rewrite [LHS](_ : _ = \sum_k total N (fun i => y i k)).
  rewrite (eq_bigr _ (fun k _ => total_is N two (fun i => y i k))) -sum_mulr; congr (_ * _).
  have AE : A = \sum_k (\sum_i (y i k * y i k)) by rewrite /A /dot exchange_big.
  by rewrite -sum_mulr sum_add -!sum_mulr sum_sub -AE.
transitivity (\sum_(I : {set 'I_L} | #|I| == N) (\sum_(i | i \notin I) dot (fun k => y i k - s I k) (fun k =>
  y i k - s I k))).
  by field; lra.
rewrite /total exchange_big /=; apply: eq_bigr => I _; rewrite exchange_big /=; apply: eq_bigr => i _ //.
Qed.

(* The mean over the index sets S of N tokens. *)
Theorem expected_squared_distance (L N d : nat) (a : 'I_L -> R) (x : 'I_L -> 'I_d -> R) : (1 < L)%nat -> (N <= L)%nat ->
  let A := \sum_i dot (fun k => a i * x i k) (fun k => a i * x i k) in
  let B := dot (output a x) (output a x) in
  (\sum_(S : {set 'I_L} | #|S| == N) (\sum_(i | i \notin S) (distance a x S i * distance a x S i))) / INR 'C(L, N) =
  (INR L - INR N) / INR L * ((INR N + 1) * A + INR N * (INR N - 3) / (INR L - 1) * (B - A)).
Proof.
pose y i k := a i * x i k.
have general := @moment L N d y.
move=> two NL A B; rewrite -(general two NL); congr (_ / _); apply: eq_bigr => S _; apply: eq_bigr => i _.
by rewrite norm_sqr.
Qed.
