import { z } from 'zod'
import { AnyJson, Name } from '../../../ledger/wire/fields.ts'

/** The kinds of report by which a machine proves confidential computing. */
export const ATTESTATION_KINDS = ['pccs', 'snp-report', 'nitro-attestation', 'nras'] as const
export type AttestationKind = (typeof ATTESTATION_KINDS)[number]

const MOST_GB = 1_000_000
const MOST_NAMES = 64
const Gigabytes = z.number().min(0).max(MOST_GB)
const Names = z.array(Name).max(MOST_NAMES)
const Label = z.string().max(128)

/** The fields of a capability block: the requirements of a machine. Memory is in GB (10^9 bytes). */
const CapabilityFields = z
  .strictObject({
    min_vram_gb: Gigabytes.optional().meta({ description: 'Memory of one GPU, GB (10^9 bytes)' }),
    min_cpu_ram_gb: Gigabytes.optional().meta({ description: 'Memory of the machine, GB (10^9 bytes)' }),
    runtimes: Names.optional().meta({ description: 'Runtimes, any one of which runs the artifact' }),
    modalities: Names.optional(),
    requires_confidential_compute: z.boolean().optional().meta({ description: 'Needs `attestation`' }),
    attestation: z.enum(ATTESTATION_KINDS).optional().meta({ description: 'The report that the machine gives' }),
    min_device_profile: Label.optional(),
    target_arch: Label.optional().meta({ description: 'Processor, such as `x64`, `arm64` or `sm_90`' }),
    notes: z.string().max(2000).optional(),
  })
  .refine((fields) => fields.requires_confidential_compute !== true || fields.attestation !== undefined, {
    path: ['attestation'],
    error: `is required with requires_confidential_compute: one of ${ATTESTATION_KINDS.join(', ')}`,
  })

/** A capability block in its stored form. `hash` is over the RFC 8785 form of the other fields. */
export const CapabilityView = z
  .strictObject({
    spec: z.literal('capability-v1'),
    ...CapabilityFields.shape,
    hash: z.string().regex(/^[0-9a-f]{16}$/),
  })
  .refine((fields) => fields.requires_confidential_compute !== true || fields.attestation !== undefined, {
    path: ['attestation'],
    error: 'is required with requires_confidential_compute',
  })
  .meta({ id: 'CapabilityBlock' })
export type CapabilityView = z.infer<typeof CapabilityView>

/** Body of `POST /v1/capability/build`. */
export const BuildCapabilityBody = CapabilityFields

/** Answer of `POST /v1/capability/build`. */
export const BuildCapabilityAnswer = z.object({ block: CapabilityView })

/** Body of `POST /v1/capability/validate`. */
export const ValidateCapabilityBody = z.object({
  block: z.record(z.string(), AnyJson).meta({ description: 'The block as it was built, or as capability.json has it' }),
})

/** Answer of `POST /v1/capability/validate`. */
export const ValidateCapabilityAnswer = z.object({
  ok: z.boolean(),
  request_id: z.string(),
  block: CapabilityView.optional().meta({ description: 'The block, when it is valid' }),
  error: z
    .enum(['bad_spec', 'invalid_field', 'not_canonical', 'hash_mismatch'])
    .optional()
    .meta({ description: '`not_canonical`: a list that is not sorted or has a name twice, or an empty field' }),
  field: z.string().optional(),
  message: z.string().optional(),
})
