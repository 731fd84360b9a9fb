(* Tokens on a sphere: the distance of a selected one from the context lies between eta and xi. *)
From mathcomp Require Import ssreflect ssrfun ssrbool eqtype ssrnat seq choice fintype finset bigop.
From Attncert Require Export selection.

Local Open Scope R_scope.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section Separation.
Variables (L d : nat) (a : 'I_L -> R) (x : 'I_L -> 'I_d -> R) (S : {set 'I_L}) (M : R).
Hypothesis a0 : forall i, 0 <= a i.
Hypothesis sphere : forall i, norm (x i) = M.
Notation inner i j := (dot (x i) (x j)).
Notation rest i := (fun j => (j \in S) && (j != i)).

Lemma M0 : forall i : 'I_L, 0 <= M.
Proof. by move=> i; rewrite -(sphere i); exact: norm_ge0. Qed.

Lemma inner_self i : inner i i = M * M.
Proof. by rewrite -norm_sqr sphere. Qed.

(* x_j . x_k = M^2 - |x_j - x_k|^2 / 2 *)
Lemma inner_distance j k : inner j k = M * M - dot (fun n => x j n - x k n) (fun n => x j n - x k n) / 2.
Proof.
have -> : dot (fun n => x j n - x k n) (fun n => x j n - x k n) = inner j j + inner k k - 2 * inner j k.
  by rewrite /dot sum_mulr -sum_add -sum_sub; apply: eq_bigr => n _; ring.
by rewrite !inner_self; lra.
Qed.

Lemma distance_rest i : i \in S -> distance a x S i = norm (fun k => \sum_(j | rest i j) (a j * x j k)).
Proof.
move=> iS; rewrite -norm_opp; apply: eq_norm => k; rewrite /context (bigD1 i) //=; lra.
Qed.

Lemma square_rest i : dot (fun k => \sum_(j | rest i j) (a j * x j k)) (fun k => \sum_(j | rest i j) (a j * x j k)) =
  M * M * (\sum_(j | rest i j) (a j * a j)) + \sum_(j | rest i j) (\sum_(k | rest i k && (k != j)) (a j * a k * inner
    j k)).
Proof.
transitivity (\sum_(j | rest i j) (\sum_(k | rest i k) (a j * a k * inner j k))).
  rewrite /dot (eq_bigr (fun n => \sum_(j | rest i j) (\sum_(k | rest i k) (a j * x j n * (a k * x k n))))) =>
    [|n _]; last first.
    by rewrite -sum_mull; apply: eq_bigr => j _; rewrite sum_mulr.
  rewrite exchange_big; apply: eq_bigr => j _; rewrite exchange_big; apply: eq_bigr => k _.
  by rewrite /dot sum_mulr; apply: eq_bigr => n _; ring.
rewrite sum_mulr -sum_add; apply: eq_bigr => j jr; rewrite (bigD1 j) //=.
by congr (_ + _); rewrite inner_self; ring.
Qed.

(* D between tokens that are all at least, or all at most, that far apart. *)
Lemma distance_le D i : i \in S -> (forall j k, j != k -> D * D <= dot (fun n => x j n - x k n) (fun n =>
  x j n - x k n)) ->
  distance a x S i <= estimate a S M D i.
Proof.
move=> iS far; rewrite distance_rest //; apply: sqrt_le_1_alt; rewrite square_rest.
apply: Rplus_le_compat_l; rewrite sum_mulr; apply: sum_le => j jr; rewrite sum_mulr; apply: sum_le => k /andP [kr kj].
rewrite [X in _ <= X]Rmult_comm; apply: Rmult_le_compat_l; first by apply: Rmult_le_pos.
by rewrite inner_distance; have := far j k; rewrite eq_sym => /(_ kj); lra.
Qed.

Lemma distance_ge D i : i \in S -> (forall j k, dot (fun n => x j n - x k n) (fun n => x j n - x k n) <= D * D) ->
  estimate a S M D i <= distance a x S i.
Proof.
move=> iS near; rewrite distance_rest //; apply: sqrt_le_1_alt; rewrite square_rest.
apply: Rplus_le_compat_l; rewrite sum_mulr; apply: sum_le => j jr; rewrite sum_mulr; apply: sum_le => k /andP [kr kj].
rewrite Rmult_comm; apply: Rmult_le_compat_l; first by apply: Rmult_le_pos.
by rewrite inner_distance; have := near j k; lra.
Qed.

Lemma separation_le j k : j != k -> separation x * separation x <= dot (fun n => x j n - x k n) (fun n =>
  x j n - x k n).
Proof.
move=> jk; rewrite -norm_sqr; have le : separation x <= norm (fun n => x j n - x k n).
  apply: Rle_trans (minimum_le (P := xpredT) (i := j) _ isT) _.
  by apply: (minimum_le (P := fun k => k != j) (fun k => norm (fun n => x j n - x k n))); rewrite eq_sym.
have s0 : 0 <= separation x by apply: minimum_ge0 => i; apply: minimum_ge0 => i'; exact: norm_ge0.
by apply: Rmult_le_compat.
Qed.

Lemma diameter_ge j k : dot (fun n => x j n - x k n) (fun n => x j n - x k n) <= diameter x * diameter x.
Proof.
rewrite -norm_sqr; have le : norm (fun n => x j n - x k n) <= diameter x.
  apply: Rle_trans (maximum_ge (P := xpredT) (fun i => maximum xpredT _) (i := j) isT).
  exact: (maximum_ge (P := xpredT) (fun k => norm (fun n => x j n - x k n))).
by apply: Rmult_le_compat => //; exact: norm_ge0.
Qed.

Lemma xi_bound i : i \in S -> distance a x S i <= estimate a S M (separation x) i.
Proof. by move=> iS; apply: distance_le => // j k; exact: separation_le. Qed.

(* Those that are not separable are further away than r: r times their number is at most the sum of bounds b. *)
Lemma share_ge (b : 'I_L -> R) : 0 < radius a x S -> (forall i, i \in S -> distance a x S i <= b i) ->
  radius a x S * (count S - separable a x S) <= \sum_(i in S) b i.
Proof.
move=> r0 le; rewrite /count /separable -sum_sub sum_mulr; apply: sum_le => i iS.
case: Rle_dec => far /=; have := le i iS; last by lra.
by have := norm_ge0 (fun k => a i * x i k - context a x S k); rewrite -/(distance a x S i); lra.
Qed.
End Separation.
