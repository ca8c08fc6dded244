#!/bin/sh
# Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# shell_files.sh PERFC FOLDER: what is installed below share/ for shells and for man.
set -eu
perfc=$1 share=$2
mkdir -p "$share/bash-completion/completions" "$share/zsh/vendor-completions" "$share/fish/vendor_completions.d" "$share/man/man1"
"$perfc" completion bash >"$share/bash-completion/completions/perfc"
"$perfc" completion zsh >"$share/zsh/vendor-completions/_perfc"
"$perfc" completion fish >"$share/fish/vendor_completions.d/perfc.fish"
"$perfc" man >"$share/man/man1/perfc.1"
for command in $(sed -n "s/.*compgen -W '\([^']*\)'.*/\1/p" "$share/bash-completion/completions/perfc"); do
  "$perfc" man "$command" >"$share/man/man1/perfc-$command.1"
done
