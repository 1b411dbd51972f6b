import { expect } from 'chai'
import { capabilityBlock, capabilityHash } from '../../../../core/compile/archive/capability.ts'
import { checkCapabilityBlock } from '../../../../core/compile/artifacts/capability/check-block.ts'
import { holdMachine, type MachineFacts } from '../../../../core/compile/artifacts/capability/hold-machine.ts'
import { CapabilityView } from '../../../../core/compile/wire/artifacts/capability.ts'
import type { JsonObject } from '../../../../core/kernel/json/json.ts'

const BLOCK = capabilityBlock({ min_vram_gb: 2, runtimes: ['mlx', 'llama-cpp', 'mlx'], modalities: ['text'] })

/** A block whose hash is right, whatever its fields are. */
function hashed(fields: JsonObject): JsonObject {
  const block = { spec: 'capability-v1', ...fields }
  return { ...block, hash: capabilityHash(block) }
}

describe('a capability block', () => {
  it('has sorted lists, no empty fields, and the hash of the published vector', () => {
    expect(BLOCK['hash']).to.equal('2c672964c3e98a18')
    expect(BLOCK['runtimes']).to.deep.equal(['llama-cpp', 'mlx'])
    const sparse = capabilityBlock({ runtimes: [], notes: '', requires_confidential_compute: false, min_vram_gb: 0 })
    expect(Object.keys(sparse)).to.deep.equal(['spec', 'min_vram_gb', 'hash'])
  })

  it('is valid as it was built', () => {
    expect(checkCapabilityBlock(BLOCK)).to.deep.equal({ ok: true, block: BLOCK })
  })

  it('says in plain words what is wrong with a field', () => {
    expect(checkCapabilityBlock(hashed({ min_vram_gb: -1 }))).to.include({ message: 'must be at least 0' })
    expect(checkCapabilityBlock({ spec: 'capability-v1' })).to.include({ field: 'hash', message: 'is required' })
  })

  it('is refused with the name of the wrong field, also when its hash is right', () => {
    const verdicts = [
      { ...BLOCK, spec: 'capability-v2' },
      hashed({ min_vram_gb: -1 }),
      hashed({ min_cpu_ram_gb: '8' }),
      hashed({ runtimes: ['mlx', 'llama-cpp'] }),
      hashed({ runtimes: ['mlx', 'mlx'] }),
      hashed({ modalities: [] }),
      hashed({ notes: '' }),
      hashed({ requires_confidential_compute: true }),
      hashed({ attestation: 'tea-leaves' }),
      hashed({ favourite_colour: 'blue' }),
      { ...BLOCK, min_vram_gb: 3 },
    ].map((block) => {
      const verdict = checkCapabilityBlock(block)
      return verdict.ok ? 'ok' : `${verdict.error} ${verdict.field}`
    })
    expect(verdicts).to.deep.equal([
      'bad_spec spec',
      'invalid_field min_vram_gb',
      'invalid_field min_cpu_ram_gb',
      'not_canonical runtimes',
      'not_canonical runtimes',
      'not_canonical modalities',
      'not_canonical notes',
      'invalid_field attestation',
      'invalid_field attestation',
      'invalid_field favourite_colour',
      'hash_mismatch hash',
    ])
  })
})

describe('a machine held against a capability block', () => {
  const machine: MachineFacts = {
    ramGb: 16,
    arch: 'x64',
    gpus: [{ name: 'H100', memoryGb: 80, architecture: 'sm_90' }],
    runtimes: { found: new Set(['vllm']), known: new Set(['vllm', 'mlx']) },
    attestations: new Set(['snp-report']),
  }
  const held = (needs: Parameters<typeof capabilityBlock>[0], facts: MachineFacts = machine) =>
    holdMachine(CapabilityView.parse(capabilityBlock(needs)), facts).map(({ name, state }) => `${name} ${state}`)

  it('meets what it has', () => {
    expect(
      held({
        min_vram_gb: 80,
        min_cpu_ram_gb: 16,
        runtimes: ['mlx', 'vllm'],
        modalities: ['text'],
        target_arch: 'AMD64',
        requires_confidential_compute: true,
        attestation: 'snp-report',
      }),
    ).to.deep.equal([
      'min_cpu_ram_gb ok',
      'min_vram_gb ok',
      'runtimes ok',
      'modalities ok',
      'target_arch ok',
      'attestation ok',
    ])
    expect(held({ target_arch: 'sm_90' })).to.deep.equal(['target_arch ok'])
  })

  it('does not meet what it lacks, and leaves open what cannot be known', () => {
    const bare = { ...machine, gpus: [], attestations: new Set([] as const) }
    expect(
      held(
        {
          min_vram_gb: 8,
          runtimes: ['mlx'],
          modalities: ['image', 'text'],
          target_arch: 'arm64',
          requires_confidential_compute: true,
          attestation: 'nras',
          min_device_profile: 'phone-2024',
        },
        bare,
      ),
    ).to.deep.equal([
      'min_vram_gb bad',
      'runtimes bad',
      'modalities unset',
      'target_arch bad',
      'attestation bad',
      'min_device_profile unset',
    ])
    expect(held({ runtimes: ['own-runtime'] })).to.deep.equal(['runtimes unset'])
    expect(held({ attestation: 'nras' })).to.deep.equal(['attestation unset'])
  })
})
