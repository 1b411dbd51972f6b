import type { AttestationKind, CapabilityView } from '../../wire/artifacts/capability.ts'

/** Facts about a machine. Memory is in GB (10^9 bytes). */
export interface MachineFacts {
  readonly ramGb: number
  /** As Node names it: `x64`, `arm64`. */
  readonly arch: string
  readonly gpus: readonly { readonly name: string; readonly memoryGb: number; readonly architecture: string | null }[]
  /** Runtimes that are installed, and those that were looked for. */
  readonly runtimes: { readonly found: ReadonlySet<string>; readonly known: ReadonlySet<string> }
  /** The kinds of attestation report that the machine can give. */
  readonly attestations: ReadonlySet<AttestationKind>
}

/** One requirement of a block, and whether the machine meets it. `unset`: it cannot be decided here. */
export interface Requirement {
  readonly name: string
  readonly state: 'ok' | 'unset' | 'bad'
  readonly detail: string
}

/** Other names of processors, in lower case. */
const ARCHITECTURES: Readonly<Record<string, string>> = {
  x86_64: 'x64',
  'x86-64': 'x64',
  amd64: 'x64',
  aarch64: 'arm64',
}

/** Holds a machine against a capability block: one line for each field that requires something. */
export function holdMachine(block: CapabilityView, machine: MachineFacts): readonly Requirement[] {
  return [
    ...memory('min_cpu_ram_gb', block.min_cpu_ram_gb, machine.ramGb, 'memory of this machine'),
    ...gpuMemory(block.min_vram_gb, machine),
    ...runtimes(block.runtimes, machine),
    ...modalities(block.modalities),
    ...architecture(block.target_arch, machine),
    ...attestation(block, machine),
    ...(block.min_device_profile === undefined
      ? []
      : [unknown('min_device_profile', `${block.min_device_profile}: profiles of devices are not measured here`)]),
  ]
}

function memory(name: string, needed: number | undefined, has: number, what: string): Requirement[] {
  if (needed === undefined) return []
  const detail = `${needed} GB needed, ${what}: ${has.toFixed(1)} GB`
  return [{ name, state: has >= needed ? 'ok' : 'bad', detail }]
}

function gpuMemory(needed: number | undefined, { gpus }: MachineFacts): Requirement[] {
  const [largest] = gpus.toSorted((a, b) => b.memoryGb - a.memoryGb)
  const what = largest === undefined ? 'no GPU found' : largest.name
  return memory('min_vram_gb', needed, largest?.memoryGb ?? 0, what)
}

function runtimes(names: readonly string[] | undefined, { runtimes: { found, known } }: MachineFacts): Requirement[] {
  if (names === undefined) return []
  const here = names.filter((name) => found.has(name))
  if (here.length > 0) return [{ name: 'runtimes', state: 'ok', detail: `${here.join(', ')} is here` }]
  const unsure = names.filter((name) => !known.has(name))
  return unsure.length > 0
    ? [unknown('runtimes', `${unsure.join(', ')}: not a runtime that can be looked for`)]
    : [{ name: 'runtimes', state: 'bad', detail: `none of ${names.join(', ')} is here` }]
}

function modalities(names: readonly string[] | undefined): Requirement[] {
  const others = (names ?? []).filter((name) => name !== 'text')
  if (names === undefined) return []
  return others.length === 0
    ? [{ name: 'modalities', state: 'ok', detail: 'text' }]
    : [unknown('modalities', `${others.join(', ')}: depends on the runtime`)]
}

function architecture(target: string | undefined, { arch, gpus }: MachineFacts): Requirement[] {
  if (target === undefined) return []
  const wanted = target.toLowerCase()
  const has = [arch, ...gpus.flatMap((gpu) => gpu.architecture ?? [])]
  const isHere = has.includes(ARCHITECTURES[wanted] ?? wanted)
  return [{ name: 'target_arch', state: isHere ? 'ok' : 'bad', detail: `${target} needed, here: ${has.join(', ')}` }]
}

function attestation(block: CapabilityView, { attestations }: MachineFacts): Requirement[] {
  if (block.attestation === undefined) return []
  const isHere = attestations.has(block.attestation)
  const detail = isHere ? `the device for ${block.attestation} is here` : `no device for ${block.attestation} is here`
  const isRequired = block.requires_confidential_compute === true
  return [{ name: 'attestation', state: isHere ? 'ok' : isRequired ? 'bad' : 'unset', detail }]
}

function unknown(name: string, detail: string): Requirement {
  return { name, state: 'unset', detail }
}
