#!/usr/bin/env bash
# The compiler, which lets the fuzzer watch the branches of our own code alone: it is to learn about that, not about a YAML reader.
compiler=$1
shift
case " $* " in
*" --crate-name stategraph_core "* | *" --crate-name stategraph_sled "* | *" --crate-name stategraph_files "* | *" --crate-name graph_file "* | *" --crate-name checkpoints "* | *" --crate-name expression "* | *" --crate-name grammar "*)
  set -- "$@" --cfg fuzzing -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
    -Cllvm-args=-sanitizer-coverage-trace-compares
  ;;
esac
exec "$compiler" "$@"
