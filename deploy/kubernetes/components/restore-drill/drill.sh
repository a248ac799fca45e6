#!/bin/sh
# Restores the newest backup, with all of the log that was archived since, into a scratch cluster,
# lets the checker judge it, and reports the result. The practice goes on meanwhile. It never
# changes the cluster `postgres`, of which it only reads the image and the size.
set -eu

KIND=cluster.postgresql.cnpg.io
SCRATCH=restore-drill
CHECK=restore-check
# The conditions of a Job that hold.
ENDED='{.status.conditions[?(@.status=="True")].type}'
# How far back the checker judges, in seconds: the end of the log is archived after five minutes at
# most.
NOT_ARCHIVED_SECONDS=600
FOLDER=${FOLDER:-/etc/restore-drill}
REPORT_URL=${REPORT_URL:-http://restore-report:9091}
RESTORE_TIMEOUT=${RESTORE_TIMEOUT:-6h}
CHECK_TIMEOUT_SECONDS=${CHECK_TIMEOUT_SECONDS:-7200}

now() { date -u +%s; }

clean() {
  kubectl delete job "$CHECK" --ignore-not-found --wait=true &&
    kubectl delete "$KIND" "$SCRATCH" --ignore-not-found --wait=true
}

# What was pushed under the same names before is replaced; the time of the last success stays when
# this drill fails.
report() {
  curl --fail --silent --show-error --max-time 30 --data-binary @- \
    "$REPORT_URL/metrics/job/restore-drill"
}

restore() {
  image=$(kubectl get "$KIND" postgres -o 'jsonpath={.spec.imageName}') &&
    size=$(kubectl get "$KIND" postgres -o 'jsonpath={.spec.storage.size}') || return 1
  sed -e "s|IMAGE|$image|" -e "s|SIZE|$size|" "$FOLDER/cluster.yaml" |
    kubectl create -f - || return 1
  kubectl wait --for=condition=Ready "$KIND/$SCRATCH" --timeout="$RESTORE_TIMEOUT"
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
    ended=$(kubectl get job "$CHECK" -o "jsonpath=$ENDED") || ended=
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

# A failure is reported too, and the scratch cluster is deleted either way. Within a condition
# `set -e` ends nothing, so each step above returns its own failure.
if drill; then
  clean
  exit 0
fi
clean || true
echo "sukoon_restore_succeeded 0" | report
exit 1
