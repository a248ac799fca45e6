#!/bin/sh
# Restores the newest backup, with all of the log that was archived since, into a scratch cluster, lets the
# checker judge it, and reports what came of it. The practice goes on meanwhile. It never touches the cluster
# `postgres`, which it only asks for its image and its size.
set -eu

SCRATCH=restore-drill
CHECK=restore-check
# How far back the checker judges, in seconds: the end of the log is archived after five minutes at most.
NOT_ARCHIVED_SECONDS=600
FOLDER=${FOLDER:-/etc/restore-drill}
REPORT_URL=${REPORT_URL:-http://restore-report:9091}
RESTORE_TIMEOUT=${RESTORE_TIMEOUT:-6h}
CHECK_TIMEOUT_SECONDS=${CHECK_TIMEOUT_SECONDS:-7200}

now() { date -u +%s; }

clean() {
  kubectl delete job "$CHECK" --ignore-not-found --wait=true &&
    kubectl delete cluster.postgresql.cnpg.io "$SCRATCH" --ignore-not-found --wait=true
}

# What was pushed under the same names before is replaced; the time of the last success stays when this one fails.
report() {
  curl --fail --silent --show-error --max-time 30 --data-binary @- "$REPORT_URL/metrics/job/restore-drill"
}

restore() {
  image=$(kubectl get cluster.postgresql.cnpg.io postgres -o 'jsonpath={.spec.imageName}') &&
    size=$(kubectl get cluster.postgresql.cnpg.io postgres -o 'jsonpath={.spec.storage.size}') || return 1
  sed -e "s|IMAGE|$image|" -e "s|SIZE|$size|" "$FOLDER/cluster.yaml" | kubectl create -f - || return 1
  kubectl wait --for=condition=Ready "cluster.postgresql.cnpg.io/$SCRATCH" --timeout="$RESTORE_TIMEOUT"
}

# Ends with 0 when the checker finds nothing wrong.
check() {
  as_of=$(date -u -d "@$(($1 - NOT_ARCHIVED_SECONDS))" +%Y-%m-%dT%H:%M:%SZ)
  kubectl create configmap "$SCRATCH" --from-literal=CHECK_AS_OF="$as_of" --dry-run=client -o yaml |
    kubectl apply -f - || return 1
  kubectl create job "$CHECK" --from="cronjob/$CHECK" || return 1
  waited=0
  while [ "$waited" -lt "$CHECK_TIMEOUT_SECONDS" ]; do
    # What cannot be asked now is asked again.
    ended=$(kubectl get job "$CHECK" -o 'jsonpath={.status.conditions[?(@.status=="True")].type}') || ended=
    case $ended in
      *Complete*) kubectl logs "job/$CHECK"; return 0 ;;
      *Failed*) kubectl logs "job/$CHECK"; return 1 ;;
    esac
    sleep "${PAUSE_SECONDS:-5}"
    waited=$((waited + 5))
  done
  echo "the checker did not end within $CHECK_TIMEOUT_SECONDS s" >&2
  return 1
}

drill() {
  began=$(now)
  clean || return 1
  restore || return 1
  restored=$(now)
  check "$began" || return 1
  checked=$(now)
  {
    echo "sukoon_restore_seconds $((restored - began))"
    echo "sukoon_restore_check_seconds $((checked - restored))"
    echo "sukoon_restore_verified_timestamp_seconds $checked"
    echo "sukoon_restore_succeeded 1"
  } | report
}

# Whatever fails is reported, and the scratch cluster goes either way. Within a condition `set -e` ends nothing,
# so each step above says itself that it has failed.
if drill; then
  clean
  exit 0
fi
clean || true
echo "sukoon_restore_succeeded 0" | report
exit 1
