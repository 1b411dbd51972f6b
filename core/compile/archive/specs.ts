import type { z } from 'zod'
import { RevocationList } from '../wire/artifacts/revocations.ts'
import { BuildReceipt } from '../../ledger/receipts/build-receipt.ts'
import { DriveByReceipt } from '../../ledger/receipts/drive-by.ts'
import { RunReceipt } from '../../ledger/receipts/run-receipt.ts'

/** A published form of document. */
export interface PublishedSpec {
  readonly id: string
  readonly title: string
  readonly schema?: z.ZodType
}

/** The published specs with which third parties can read and check signed documents. */
export const SPECS: readonly PublishedSpec[] = [
  { id: 'rs-1', title: 'Receipt of one run', schema: RunReceipt },
  { id: 'svc-1', title: 'Receipt of a build, in receipt.json of an archive', schema: BuildReceipt },
  { id: 'svc-1-drive-by', title: 'Claim that an artifact was signed here', schema: DriveByReceipt },
  { id: 'svc-revocations-1', title: 'List of revoked artifacts', schema: RevocationList },
  { id: 'svc-recipe-1', title: 'Program recipe language' },
  { id: 'svc-recipe-2', title: 'Program recipe language with readDate, nthWeekday and windows of time' },
  { id: 'svc-composite-1', title: 'Composite recipe: a tree of leaves, each with a recipe of its own' },
  { id: 'svc-evidence-dag-1', title: 'Evidence graph of an artifact' },
  { id: 'cidv1', title: 'Content identifier: SHA-256 over the RFC 8785 form of {"hashes": {member: digest}}' },
]
