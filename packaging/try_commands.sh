#!/bin/sh
# What every installation is asked to do: sh try_commands.sh FILES [COMMAND]
# FILES is a folder with something about a lease in it. Where MODEL names a model that lies in
# ASKANCE_MODELS_DIR, a question is answered too; VERSION is the one that it must be. Each line: ok
# or FAILED, seconds, what was run.
set -u
files=$1
askance=${2:-askance}
failed=0
said=$(mktemp -d)
trap 'rm -rf "$said"' EXIT

step() { # exit codes that are right, words that its output holds, arguments of askance
    codes=$1 words=$2
    shift 2
    began=$(date +%s.%N)
    "$askance" "$@" >"$said/out" 2>"$said/err" </dev/null
    code=$?
    seconds=$(echo "$began $(date +%s.%N)" | awk '{ printf "%.1f", $2 - $1 }')
    case " $codes " in *" $code "*) right=yes ;; *) right=no ;; esac
    if [ $right = yes ] && grep -q "$words" "$said/out"; then
        echo "ok $seconds askance $1"
    else
        echo "FAILED $seconds askance $1: exit $code"
        cat "$said/out" "$said/err" | tail -n 20
        failed=1
    fi
}

step 0 "^askance, version ${VERSION:-[0-9]}" --version
step "0 4" "llama-cpp-python" doctor
step 0 "_askance_completion" completions zsh
step 0 "lease" search lease "$files"
if [ -n "${MODEL:-}" ]; then
    step "0 3" '"schema_version":' ask "When does the lease end?" "$files" --json \
        --strategy vanilla --generator-tokens 600 --lookahead "$MODEL" --generator "$MODEL"
fi
exit $failed
