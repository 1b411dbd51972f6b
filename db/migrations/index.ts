import { FirstSchema } from './001-first-schema.ts'
import { BlobCollection } from './002-blob-collection.ts'
import { DatasetRelease } from './003-dataset-release.ts'
import { TeacherSamples } from './004-teacher-samples.ts'
import { TrainingRecords } from './005-training-records.ts'
import { Exports } from './006-exports.ts'
import { InvocationTokens } from './007-invocation-tokens.ts'
import { Tenancy } from './008-tenancy.ts'
import { StoredBytes } from './009-stored-bytes.ts'
import { Compute } from './010-compute.ts'
import { FoundAgain } from './011-found-again.ts'
import { BoundsAndClaims } from './012-bounds-and-claims.ts'
import { OneOutbox } from './013-one-outbox.ts'
import { TenantPolicies } from './014-tenant-policies.ts'
import { NamespacePolicies } from './015-namespace-policies.ts'
import { NamespaceListOnce } from './016-namespace-list-once.ts'
import { TabularRecipes } from './017-tabular-recipes.ts'
import { CompileQuestions } from './018-compile-questions.ts'
import { CompositeRecipes } from './019-composite-recipes.ts'
import { RowsAndAcceptances } from './020-rows-and-acceptances.ts'
import { RunBatches } from './021-run-batches.ts'
import { ShareLinkRuns } from './022-share-link-runs.ts'
import { GatewayCaptures } from './023-gateway-captures.ts'
import { GatewayGate } from './024-gateway-gate.ts'
import { ProviderSettings } from './025-provider-settings.ts'
import { CaptureForgetting } from './026-capture-forgetting.ts'
import { TrafficClusters } from './027-traffic-clusters.ts'
import { CompileCaptures } from './028-compile-captures.ts'
import { GatewayConversations } from './029-gateway-conversations.ts'
import { CaptureAudio } from './030-capture-audio.ts'
import { GatewayCatalogs } from './031-gateway-catalogs.ts'
import { ArtifactLife } from './032-artifact-life.ts'
import { RowResults } from './033-row-results.ts'
import { RecallDocuments } from './034-recall-documents.ts'
import { ArtifactLineage } from './037-artifact-lineage.ts'
import { WebhookDeliveries } from './040-webhook-deliveries.ts'
import { VersionSketches } from './041-version-sketches.ts'
import { CompileRentals } from './042-compile-rentals.ts'
import { RecallVectors } from './044-recall-vectors.ts'
import { DatasetVersions } from './046-dataset-versions.ts'
import { EvaluationsAndRows } from './049-evaluations-and-rows.ts'
import { CloudReadiness } from './052-cloud-readiness.ts'
import { TenantHoldouts } from './054-tenant-holdouts.ts'
import { MeasuredGates } from './055-measured-gates.ts'
import { DistillRuns } from './056-distill-runs.ts'
import { DistillAdapters } from './057-distill-adapters.ts'
import { EvaluationAnswers } from './060-evaluation-answers.ts'
import { BakeoffRuns } from './063-bakeoff-runs.ts'
import { InferenceMeasurements } from './064-inference-measurements.ts'

/** The table of applied migrations. */
export const MIGRATIONS_TABLE = 'migrations'

/**
 * All migrations in the order of their application. A released one is never edited; a test compares the resulting
 * schema with the entities and prints the statements that the next one needs.
 */
export const MIGRATIONS = [
  { name: '001-first-schema', class: FirstSchema },
  { name: '002-blob-collection', class: BlobCollection },
  { name: '003-dataset-release', class: DatasetRelease },
  { name: '004-teacher-samples', class: TeacherSamples },
  { name: '005-training-records', class: TrainingRecords },
  { name: '006-exports', class: Exports },
  { name: '007-invocation-tokens', class: InvocationTokens },
  { name: '008-tenancy', class: Tenancy },
  { name: '009-stored-bytes', class: StoredBytes },
  { name: '010-compute', class: Compute },
  { name: '011-found-again', class: FoundAgain },
  { name: '012-bounds-and-claims', class: BoundsAndClaims },
  { name: '013-one-outbox', class: OneOutbox },
  { name: '014-tenant-policies', class: TenantPolicies },
  { name: '015-namespace-policies', class: NamespacePolicies },
  { name: '016-namespace-list-once', class: NamespaceListOnce },
  { name: '017-tabular-recipes', class: TabularRecipes },
  { name: '018-compile-questions', class: CompileQuestions },
  { name: '019-composite-recipes', class: CompositeRecipes },
  { name: '020-rows-and-acceptances', class: RowsAndAcceptances },
  { name: '021-run-batches', class: RunBatches },
  { name: '022-share-link-runs', class: ShareLinkRuns },
  { name: '023-gateway-captures', class: GatewayCaptures },
  { name: '024-gateway-gate', class: GatewayGate },
  { name: '025-provider-settings', class: ProviderSettings },
  { name: '026-capture-forgetting', class: CaptureForgetting },
  { name: '027-traffic-clusters', class: TrafficClusters },
  { name: '028-compile-captures', class: CompileCaptures },
  { name: '029-gateway-conversations', class: GatewayConversations },
  { name: '030-capture-audio', class: CaptureAudio },
  { name: '031-gateway-catalogs', class: GatewayCatalogs },
  { name: '032-artifact-life', class: ArtifactLife },
  { name: '033-row-results', class: RowResults },
  { name: '034-recall-documents', class: RecallDocuments },
  { name: '037-artifact-lineage', class: ArtifactLineage },
  { name: '040-webhook-deliveries', class: WebhookDeliveries },
  { name: '041-version-sketches', class: VersionSketches },
  { name: '042-compile-rentals', class: CompileRentals },
  { name: '044-recall-vectors', class: RecallVectors },
  { name: '046-dataset-versions', class: DatasetVersions },
  { name: '049-evaluations-and-rows', class: EvaluationsAndRows },
  { name: '052-cloud-readiness', class: CloudReadiness },
  { name: '054-tenant-holdouts', class: TenantHoldouts },
  { name: '055-measured-gates', class: MeasuredGates },
  { name: '056-distill-runs', class: DistillRuns },
  { name: '057-distill-adapters', class: DistillAdapters },
  { name: '060-evaluation-answers', class: EvaluationAnswers },
  { name: '063-bakeoff-runs', class: BakeoffRuns },
  { name: '064-inference-measurements', class: InferenceMeasurements },
]
