import type { SAML as SamlLibrary } from '@node-saml/node-saml'
import { createHash } from 'node:crypto'
import { DomainError } from '../../../kernel/errors.ts'
import { readAssertion, type SamlClaims } from './assertion.ts'
import { SAML } from './names.ts'
import { refuseSaml, type SamlRefusal } from './refusal.ts'
import { screenResponse } from './structure.ts'
import type { XmlElement } from './xml.ts'

/** This service as SAML knows it. */
export interface ServiceProvider {
  readonly entityId: string
  /** The address that identity providers post their responses to. */
  readonly acsUrl: string
}

/** A tenant's identity provider, as it was configured. */
export interface IdentityProvider {
  readonly entityId: string
  readonly ssoUrl: string
  /** PEM; a response signed with any of them is accepted. */
  readonly certificates: readonly string[]
  /** Audience that its assertions must name. */
  readonly audience: string
}

/** Loads the library with the first sign-in: its parsers of XML take memory that most installations never need. */
async function loadLibrary() {
  return await import('@node-saml/node-saml')
}

/** The service provider's names below its public address. */
export function serviceProviderAt(publicUrl: string): ServiceProvider {
  const base = publicUrl.replace(/\/+$/, '')
  return { entityId: `${base}/saml/sp`, acsUrl: `${base}/v1/account/saml/acs` }
}

/** The metadata that operators of identity providers import. The same names give the same document. */
export async function describeServiceProvider({ entityId, acsUrl }: ServiceProvider): Promise<string> {
  const { generateServiceProviderMetadata } = await loadLibrary()
  const id = createHash('sha256').update(entityId).digest('hex').slice(0, 40)
  return generateServiceProviderMetadata({
    issuer: entityId,
    callbackUrl: acsUrl,
    identifierFormat: SAML.emailFormat,
    wantAssertionsSigned: true,
    generateUniqueId: () => `_${id}`,
  })
}

/** Returns the address to send the browser to, and the id of the request that the response must answer. */
export async function startSamlLogin(
  service: ServiceProvider,
  provider: IdentityProvider,
): Promise<{ readonly url: string; readonly requestId: string }> {
  let requestId: string | undefined
  const saml = await openLibrary(service, provider, {
    skewMs: 0,
    issued: (id) => {
      requestId = id
    },
    issuedAt: async () => null,
  })
  const url = await saml.getAuthorizeUrlAsync('', undefined, {})
  if (requestId === undefined) throw new Error('the request has no id')
  return { url, requestId }
}

/** Inputs of a response's verification. */
export interface VerifyOptions {
  readonly service: ServiceProvider
  readonly provider: IdentityProvider
  readonly skewMs: number
  readonly now: Date
  /** Returns the time at which the request was sent; null when it is unknown, answered or too old. */
  readonly issuedAt: (requestId: string) => Promise<Date | null>
}

/**
 * Verifies a response: its shape first, then the signature, by the library, then every condition again on the bytes
 * that the signature covers, which are also all that is read. Whether the assertion was seen before is for the caller
 * to decide, in the transaction that opens the session. Throws `saml_response_refused`.
 */
export async function verifySamlResponse(
  { base64, root }: { readonly base64: string; readonly root: XmlElement },
  { service, provider, skewMs, now, issuedAt }: VerifyOptions,
): Promise<SamlClaims & { readonly inResponseTo: string }> {
  const { inResponseTo } = screenResponse(base64, root, { acsUrl: service.acsUrl, issuer: provider.entityId })
  const saml = await openLibrary(service, provider, { skewMs, issued: () => undefined, issuedAt })
  let verifiedXml: string | undefined
  try {
    const { profile } = await saml.validatePostResponseAsync({ SAMLResponse: base64 })
    verifiedXml = profile?.getAssertionXml?.()
  } catch (error) {
    if (error instanceof DomainError) throw error
    throw explain(error)
  }
  if (verifiedXml === undefined) throw refuseSaml('malformed_response', 'the response has no signed assertion')
  const claims = readAssertion(verifiedXml, {
    issuer: provider.entityId,
    audience: provider.audience,
    acsUrl: service.acsUrl,
    inResponseTo,
    skewMs,
    now,
  })
  return { ...claims, inResponseTo }
}

async function openLibrary(
  service: ServiceProvider,
  provider: IdentityProvider,
  requests: {
    readonly skewMs: number
    readonly issued: (requestId: string) => void
    readonly issuedAt: (requestId: string) => Promise<Date | null>
  },
): Promise<SamlLibrary> {
  const { SAML: Library, ValidateInResponseTo } = await loadLibrary()
  return new Library({
    issuer: service.entityId,
    callbackUrl: service.acsUrl,
    entryPoint: provider.ssoUrl,
    idpCert: [...provider.certificates],
    idpIssuer: provider.entityId,
    audience: provider.audience,
    identifierFormat: SAML.emailFormat,
    // The identity provider chooses the sign-in method; requesting passwords would exclude security keys and cards.
    disableRequestedAuthnContext: true,
    wantAssertionsSigned: true,
    // The signed assertion is sufficient; many providers do not sign the response around it.
    wantAuthnResponseSigned: false,
    signatureAlgorithm: 'sha256',
    acceptedClockSkewMs: requests.skewMs,
    validateInResponseTo: ValidateInResponseTo.always,
    cacheProvider: {
      saveAsync: async (id, value) => {
        requests.issued(id)
        return { value, createdAt: Date.parse(value) }
      },
      getAsync: async (id) => (await requests.issuedAt(id))?.toISOString() ?? null,
      // A request is used up in the transaction that opens the session, and only there.
      removeAsync: async () => null,
    },
  })
}

/** The library reports its refusals as message text only. */
const MESSAGES: readonly (readonly [RegExp, SamlRefusal])[] = [
  [/not yet valid/i, 'assertion_not_yet_valid'],
  [/expired/i, 'assertion_expired'],
  [/audience/i, 'audience_mismatch'],
  [/InResponseTo/, 'request_unknown'],
  [/subject confirmation/i, 'subject_confirmation_expired'],
  [/signature|signed|ID cannot refer|ref URI/i, 'signature_verification_failed'],
]

function explain(error: unknown): DomainError {
  const said = error instanceof Error ? error.message : ''
  const reason = MESSAGES.find(([pattern]) => pattern.test(said))?.[1] ?? 'malformed_response'
  return refuseSaml(reason, 'the response of the identity provider was refused', error)
}
