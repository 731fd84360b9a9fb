# The manifests of `scripts/cluster kubernetes`. Sourced by it, with what it has read: name, shards, image, claim, arguments.

# A word in JSON, which is YAML too. Kubernetes puts a variable in place of $(NAME), and $ in place of $$.
json() {
  local word=${1//\\/\\\\}
  word=${word//\"/\\\"} word=${word//$'\n'/\\n} word=${word//$'\t'/\\t}
  printf '"%s"' "${word//\$/\$\$}"
}

# manifest NAME FIELDS COMMAND...: the Job's FIELDS, and what its pods run in the campaign's folder on the volume.
manifest() {
  local word words=""
  for word in "${@:3}"; do words+=${words:+, }$(json "$word"); done
  cat >"$out/$1.yaml" <<END
apiVersion: batch/v1
kind: Job
metadata: {name: $name-$1}
spec:
  $2
  podReplacementPolicy: Failed  # two pods at a time would write to one folder
  template:
    spec:
      restartPolicy: Never
      containers:
        - name: attncert
          image: $(json "$image")
          command: [$words]
          workingDir: /campaign
          env: [{name: ATTNCERT_SHARDS, value: "$shards"}]
          volumeMounts: [{name: campaign, mountPath: /campaign, subPath: $name}]
      volumes: [{name: campaign, persistentVolumeClaim: {claimName: $(json "$claim")}}]
END
}

run_kubernetes() {
  # As in shard.sh of the other ways, for any shell. backoffLimitPerIndex came with Kubernetes 1.29; before it was backoffLimit.
  # shellcheck disable=SC2016
  local shard='folder=shards/$((JOB_COMPLETION_INDEX + 1))
if [ -s "$folder/journal.jsonl" ]; then set -- "$@" --resume; else rm -rf "$folder"; fi
exec attncert "$@" --shard auto --out "$folder"'
  manifest shards "completionMode: Indexed
  completions: $shards
  parallelism: $shards
  backoffLimitPerIndex: 3" sh -c "$shard" sh "${arguments[@]}"
  # The merge's status is the verdict, and no reason to do it again.
  # shellcheck disable=SC2016
  manifest merge "backoffLimit: 0" sh -c 'rm -rf merged; exec attncert "$@"' sh \
    merge "${folders[@]#"$out/"}" --out merged "${merging[@]}"
  quoted kubectl apply -f "$out/shards.yaml"; echo
  quoted kubectl wait --for=condition=complete --timeout=-1s "job/$name-shards"; echo
  quoted kubectl apply -f "$out/merge.yaml"; echo
}
