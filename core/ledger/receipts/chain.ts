import { z } from 'zod'
import { canonicalJson, hashJson, type Json, type Sha256 } from '../../kernel/json/json.ts'
import { macText, sameMac, type Mac, type MacSecret } from '../../kernel/json/mac.ts'
import { Hash, MacField } from '../wire/fields.ts'

/** The steps of a build, in the order of the chain. */
export const CHAIN_STEPS = ['task', 'seeds', 'recipes', 'evals', 'package'] as const
export type ChainStep = (typeof CHAIN_STEPS)[number]

/** Inputs of a step: names with the digests of the actual bytes or values. */
export type ChainSubject = Readonly<Record<string, Sha256>>

/** One link of a build's chain. */
export const ChainLink = z
  .strictObject({
    step: z.enum(CHAIN_STEPS),
    subject: z.record(z.string().min(1).max(128), Hash),
    input_hash: Hash,
    output_hash: Hash,
    hmac: MacField,
  })
  .meta({ id: 'ReceiptChainLink' })
export type ChainLink = z.infer<typeof ChainLink>

/** Start of the first link: the specification of the build. */
export interface BuildSpec {
  readonly task: string
  readonly base_model: string
  readonly k_score_floor: number
}

/** The input hash of the first link: SHA-256 over the RFC 8785 form of `{"spec": {task, base_model, k_score_floor}}`. */
export function specHash(spec: BuildSpec): Sha256 {
  return hashJson({ spec: { task: spec.task, base_model: spec.base_model, k_score_floor: spec.k_score_floor } })
}

/** The output hash of every link but the last: SHA-256 over the RFC 8785 form of `{step, input_hash, subject}`. */
export function stepHash(step: ChainStep, inputHash: Sha256, subject: ChainSubject): Sha256 {
  return hashJson({ step, input_hash: inputHash, subject })
}

/**
 * Builds the chain of a build: the output of a step is the input of the next, and the last output is the artifact hash.
 * Each link's HMAC also covers the receipt's id and the link's place, so a link is invalid in another chain.
 */
export function buildChain(input: {
  receiptId: string
  spec: BuildSpec
  subjects: Readonly<Record<ChainStep, ChainSubject>>
  artifactHash: Sha256
  secret: MacSecret
}): ChainLink[] {
  let inputHash = specHash(input.spec)
  return CHAIN_STEPS.map((step, index) => {
    const subject = input.subjects[step]
    const outputHash = step === 'package' ? input.artifactHash : stepHash(step, inputHash, subject)
    const link = { step, subject, input_hash: inputHash, output_hash: outputHash }
    inputHash = outputHash
    return { ...link, hmac: linkMac(input.receiptId, index, link, input.secret) }
  })
}

/**
 * The reasons why a chain does not hold together, empty when it does: `chain_length`, `chain_link_<i>_step`,
 * `chain_link_<i>_discontinuous`, `chain_link_<i>_output`, `chain_end`. Stops at the first bad link. Needs no secret.
 */
export function checkChain(chain: readonly ChainLink[], artifactHash: string): string[] {
  if (chain.length !== CHAIN_STEPS.length) return ['chain_length']
  let expectedInput: string | undefined
  for (const [index, link] of chain.entries()) {
    if (link.step !== CHAIN_STEPS[index]) return [`chain_link_${index}_step`]
    if (expectedInput !== undefined && link.input_hash !== expectedInput) return [`chain_link_${index}_discontinuous`]
    const isLast = index === CHAIN_STEPS.length - 1
    if (!isLast && link.output_hash !== stepHash(link.step, link.input_hash, link.subject)) {
      return [`chain_link_${index}_output`]
    }
    expectedInput = link.output_hash
  }
  return expectedInput === artifactHash ? [] : ['chain_end']
}

/** The first link whose HMAC is not right, as `chain_link_<i>_signature`; empty when all are. */
export function checkChainMacs(chain: readonly ChainLink[], receiptId: string, secret: MacSecret): string[] {
  const bad = chain.findIndex((link, index) => !sameMac(linkMac(receiptId, index, link, secret), link.hmac))
  return bad < 0 ? [] : [`chain_link_${bad}_signature`]
}

function linkMac(receiptId: string, index: number, link: Omit<ChainLink, 'hmac'>, secret: MacSecret): Mac {
  const text: Json = {
    receipt_id: receiptId,
    index,
    step: link.step,
    subject: link.subject,
    input_hash: link.input_hash,
    output_hash: link.output_hash,
  }
  return macText(canonicalJson(text), secret)
}
