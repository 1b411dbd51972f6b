/** Facts of a tenant and of the service at the time of a compliance package. */
export interface ControlFacts {
  /** Public address of the service; undefined when it is not configured. */
  readonly publicUrl: string | undefined
  readonly hasSingleSignOn: boolean
  readonly hasScim: boolean
  readonly isOwnerVerified: boolean
  readonly members: Readonly<Record<string, number>>
  readonly keys: { readonly live: number; readonly narrow: number; readonly expiring: number }
  /** Age of the primary key in days; null without one. */
  readonly keyAgeDays: number | null
  readonly keyRotationDays: number
  readonly sealedSecrets: number
  readonly audit: {
    readonly isSound: boolean
    readonly length: number
    readonly brokenAt: number | null
    readonly checkpoints: number
    readonly prunedThrough: number
  }
  readonly retentionDays: number
  readonly artifacts: { readonly total: number; readonly withReceipt: number }
  readonly signingKeys: readonly string[]
}

/** A measure, whether it holds for this tenant, its evidence, and the framework clauses that require it. */
export type Control = {
  readonly id: string
  readonly title: string
  readonly state: 'met' | 'not_met'
  readonly evidence: string
  readonly maps_to: readonly string[]
}

/** Returns the measures of a package, derived from the facts; a measure without evidence is `not_met`. */
export function controlsOf(facts: ControlFacts): readonly Control[] {
  return [...accessControls(facts), ...dataControls(facts), ...evidenceControls(facts)]
}

function accessControls(facts: ControlFacts): Control[] {
  const { members, keys, keyAgeDays, keyRotationDays } = facts
  const people = Object.entries(members).map(([role, count]) => `${count} ${role}`)
  const age = keyAgeDays === null ? 'There is no primary key' : `The primary key is ${keyAgeDays} days old`
  return [
    control(
      'access.roles',
      'Members have roles, keys have scopes',
      (members['owner'] ?? 0) > 0,
      `Active members: ${people.join(', ') || 'none'}. Live keys: ${keys.live}, of which ${keys.narrow} are limited to scopes and ${keys.expiring} expire.`,
      ['SOC 2 CC6.1', 'SOC 2 CC6.3', 'ISO 27001:2022 A.5.15', 'ISO 27001:2022 A.5.18'],
    ),
    control(
      'access.key_rotation',
      'Keys are rotated',
      keyAgeDays === null || keyAgeDays < keyRotationDays,
      `${age}; the limit set by the tenant is ${keyRotationDays} days.`,
      ['SOC 2 CC6.1', 'ISO 27001:2022 A.5.17'],
    ),
    control(
      'access.verified_owner',
      'The owner’s address is verified',
      facts.isOwnerVerified,
      facts.isOwnerVerified ? 'A mailed link was confirmed.' : 'No mailed link was confirmed.',
      ['SOC 2 CC6.2'],
    ),
    control(
      'access.single_sign_on',
      'Members sign in through the tenant’s identity provider',
      facts.hasSingleSignOn,
      facts.hasSingleSignOn ? 'SAML or OpenID Connect is configured and enabled.' : 'None is configured and enabled.',
      ['SOC 2 CC6.1', 'ISO 27001:2022 A.8.5'],
    ),
    control(
      'access.deprovisioning',
      'The identity provider deactivates leavers',
      facts.hasScim,
      facts.hasScim ? 'SCIM 2.0 is enabled and has a live token.' : 'SCIM is not enabled, or has no live token.',
      ['SOC 2 CC6.2', 'ISO 27001:2022 A.5.16'],
    ),
    control(
      'access.second_factor',
      'A second factor is required',
      false,
      'The service does not require one. It cannot see whether the identity provider does.',
      ['SOC 2 CC6.1', 'ISO 27001:2022 A.8.5'],
    ),
  ]
}

function dataControls({ publicUrl, sealedSecrets, retentionDays, audit }: ControlFacts): Control[] {
  const isEncrypted = publicUrl?.startsWith('https://') === true
  return [
    control(
      'data.in_transit',
      'Traffic is encrypted',
      isEncrypted,
      isEncrypted ? `The service is published as ${publicUrl}.` : 'The configured public address is not https.',
      ['SOC 2 CC6.7', 'ISO 27001:2022 A.8.24'],
    ),
    control(
      'data.secrets_at_rest',
      'Secrets are encrypted at rest',
      true,
      `${sealedSecrets} secrets of the tenant are stored under AES-256-GCM, each with a data key of its own that the master key wraps; API keys are stored as salted scrypt hashes only.`,
      ['SOC 2 CC6.1', 'ISO 27001:2022 A.8.24'],
    ),
    control(
      'data.retention',
      'Audit lines are removed at the end of their retention',
      true,
      `They are kept for ${retentionDays} days at least, by the plan; ${audit.prunedThrough === 0 ? 'none was removed yet' : `lines up to ${audit.prunedThrough} were removed`}.`,
      ['SOC 2 C1.2', 'ISO 27001:2022 A.5.33', 'ISO 27001:2022 A.8.10'],
    ),
  ]
}

function evidenceControls({ audit, artifacts, signingKeys }: ControlFacts): Control[] {
  return [
    control(
      'evidence.audit_trail',
      'Changes are logged, and the log shows tampering',
      audit.isSound,
      audit.isSound
        ? `All ${audit.length} lines of the chain and ${audit.checkpoints} signed checkpoints were checked for this package.`
        : `The chain does not hold${audit.brokenAt === null ? '' : `, first at line ${audit.brokenAt}`}.`,
      ['SOC 2 CC7.2', 'ISO 27001:2022 A.8.15', '45 CFR 164.312(b)'],
    ),
    control(
      'evidence.signed_artifacts',
      'Artifacts are signed',
      artifacts.withReceipt === artifacts.total,
      `${artifacts.withReceipt} of ${artifacts.total} artifacts have a build receipt. Keys that check signatures: ${signingKeys.join(', ')}.`,
      ['SOC 2 CC8.1', 'ISO 27001:2022 A.8.32'],
    ),
  ]
}

function control(id: string, title: string, isMet: boolean, evidence: string, mapsTo: readonly string[]): Control {
  return { id, title, state: isMet ? 'met' : 'not_met', evidence, maps_to: mapsTo }
}
