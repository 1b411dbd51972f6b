import { readFile } from 'node:fs/promises'
import { verifyArchive } from '../../core/compile/archive/verify.ts'
import { checkCapabilityBlock } from '../../core/compile/artifacts/capability/check-block.ts'
import {
  holdMachine,
  type MachineFacts,
  type Requirement,
} from '../../core/compile/artifacts/capability/hold-machine.ts'
import type { AttestationKind, CapabilityView } from '../../core/compile/wire/artifacts/capability.ts'
import { isJsonObject, type Json, type JsonObject } from '../../core/kernel/json/json.ts'
import { RUNTIME_VERSION } from '../../core/kernel/version.ts'
import { areGpusConfidential, isAnyThere, isCommandThere, listGpus, memoryGb } from '../../stack/process/machine.ts'
import { CliError, usageError } from '../cli-error.ts'
import type { CliContext } from '../context.ts'
import { EXIT } from '../exit-codes.ts'
import { paint } from '../terminal/output.ts'

/** Commands that show that a runtime is installed, by the name that capability blocks use. */
const RUNTIME_COMMANDS: Readonly<Record<string, readonly string[]>> = {
  'llama-cpp': ['llama-cli', 'llama-server'],
  mlx: ['mlx_lm', 'mlx_lm.generate'],
  ollama: ['ollama'],
  vllm: ['vllm'],
}
/** Runtimes that come with this CLI. */
const OWN_RUNTIMES = [RUNTIME_VERSION, 'onnxruntime']

/** Devices of Linux through which a guest gets its report. */
const ATTESTATION_DEVICES: Readonly<Record<Exclude<AttestationKind, 'nras'>, readonly string[]>> = {
  pccs: ['/dev/tdx_guest', '/dev/sgx_enclave'],
  'snp-report': ['/dev/sev-guest'],
  'nitro-attestation': ['/dev/nsm'],
}

/** `svc doctor --capability FILE`: holds this machine against a capability block, or against that of an archive. */
export async function holdCapability(context: CliContext, file: string): Promise<number> {
  const block = await readBlock(file)
  const requirements = holdMachine(block, await inspectMachine(context.searchPath))
  const ok = requirements.every(({ state }) => state !== 'bad')
  context.output.result({ ok, block, requirements }, () => describe(file, ok, requirements))
  return ok ? EXIT.ok : EXIT.failed
}

async function readBlock(file: string): Promise<CapabilityView> {
  const bytes = await readFile(file).catch((error: unknown) => {
    throw usageError(`${file}: cannot be read`, error)
  })
  const given =
    bytes.subarray(0, 2).toString('latin1') === 'PK' ? await blockOfArchive(file, bytes) : parse(file, bytes)
  const verdict = checkCapabilityBlock(given)
  if (verdict.ok) return verdict.block
  throw new CliError(`${file}: ${verdict.field} ${verdict.message}`, { code: verdict.error })
}

async function blockOfArchive(file: string, bytes: Uint8Array): Promise<JsonObject> {
  const { opened, detail, reason } = await verifyArchive(bytes)
  if (opened !== undefined) return opened.content.capability
  throw new CliError(`${file} is not a valid archive: ${detail}`, { code: reason ?? 'invalid_archive' })
}

/** A block alone, or the answer of the route that built it. */
function parse(file: string, bytes: Uint8Array): JsonObject {
  try {
    const value: Json = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
    if (isJsonObject(value)) return isJsonObject(value['block']) ? value['block'] : value
  } catch (error) {
    throw usageError(`${file} is not JSON`, error)
  }
  throw usageError(`${file} is not a capability block`)
}

async function inspectMachine(searchPath: string): Promise<MachineFacts> {
  const [gpus, confidential, found, attestations] = await Promise.all([
    listGpus(),
    areGpusConfidential(),
    namesWhere(RUNTIME_COMMANDS, async (commands) => await isCommandThere(commands, searchPath)),
    namesWhere(ATTESTATION_DEVICES, isAnyThere),
  ])
  return {
    ramGb: memoryGb(),
    arch: process.arch,
    gpus,
    runtimes: {
      found: new Set([...OWN_RUNTIMES, ...found]),
      known: new Set([...OWN_RUNTIMES, ...Object.keys(RUNTIME_COMMANDS)]),
    },
    attestations: new Set<AttestationKind>([...attestations, ...(confidential ? ['nras' as const] : [])]),
  }
}

async function namesWhere<K extends string>(
  table: Readonly<Record<K, readonly string[]>>,
  isThere: (places: readonly string[]) => Promise<boolean>,
): Promise<readonly K[]> {
  const names = Object.keys(table).filter((name): name is K => Object.hasOwn(table, name))
  const there = await Promise.all(names.map(async (name) => await isThere(table[name])))
  return names.filter((_, index) => there[index])
}

function describe(file: string, ok: boolean, requirements: readonly Requirement[]): string {
  const marks = { ok: paint('green', '✔'), unset: paint('dim', '–'), bad: paint('red', '✘') }
  const lines = requirements.map(({ name, state, detail }) => `${marks[state]} ${name.padEnd(18)} ${detail}`)
  const verdict = ok ? paint('green', `this machine meets ${file}`) : paint('red', `this machine does not meet ${file}`)
  return [...(lines.length === 0 ? ['the block requires nothing'] : lines), verdict].join('\n')
}
