#!/usr/bin/env node
// Runs the CLI with the Node that the project depends on: the machine's own may be too old to run TypeScript.
import { spawn } from 'node:child_process'
import { existsSync, realpathSync } from 'node:fs'
import module, { createRequire } from 'node:module'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const own = findOwnNode()
if (own === undefined || realpathSync(own) === realpathSync(process.execPath)) await runHere()
else runWith(own)

/**
 * With the compile cache on before the first TypeScript is loaded: a module that is not in it makes Node load its compiler.
 * In the user's own folder, since cached code is executed.
 */
async function runHere() {
  module.enableCompileCache?.(join(homedir(), '.cache', 'svc', 'compiled'))
  await import('./main.ts')
}

/** @param {string} node */
function runWith(node) {
  const child = spawn(node, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], { stdio: 'inherit' })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    // Ctrl-C reaches the child by itself, a signal to this process alone does not.
    process.on(signal, () => {
      if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal)
    })
  }
  child.on('error', (error) => {
    process.stderr.write(`svc: cannot run ${node}: ${error.message}\n`)
    process.exitCode = 1
  })
  child.on('exit', (code, signal) => {
    process.exitCode = code ?? (signal === 'SIGINT' ? 130 : 1)
  })
}

function findOwnNode() {
  try {
    const folder = dirname(createRequire(import.meta.url).resolve('node/package.json'))
    const binary = join(folder, 'bin', process.platform === 'win32' ? 'node.exe' : 'node')
    return existsSync(binary) ? binary : undefined
  } catch {
    return undefined
  }
}
