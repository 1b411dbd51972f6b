import { ArtifactEntity } from './artifacts/artifact.ts'
import { AuditEntryEntity, AuditHeadEntity } from './audit/audit-entry.ts'
import { BlobChunkEntity, BlobDiscardEntity, BlobEntity, BlobUploadEntity } from './blobs/blob.ts'
import { ConceptEntity } from './concepts/concept.ts'
import { VersionEntity } from './concepts/version.ts'
import { JobEventEntity } from './events/job-event.ts'
import { ExportJobEntity } from './exports/export-job.ts'
import { EvidenceEdgeEntity, EvidenceNodeEntity } from './evidence/evidence-node.ts'
import { IdempotencyClaimEntity } from './idempotency/idempotency-claim.ts'
import { InvocationHourEntity } from './invocations/invocation-hour.ts'
import { CompileJobEntity } from './jobs/compile-job.ts'
import { JobStageEntity } from './jobs/stages/job-stage.ts'
import { WorkflowStartEntity } from './jobs/start/workflow-start.ts'
import { ApiKeyEntity } from './keys/api-key.ts'
import { QuotaLeaseEntity, QuotaPeriodEntity, QuotaReservationEntity } from './quota/quota.ts'
import { RateLimitEntity } from './rate-limits/rate-limit.ts'
import { ReceiptSecretEntity } from './receipt-secrets/receipt-secret.ts'
import { ServiceSecretEntity } from './secrets/service-secret.ts'
import { SessionEntity } from './sessions/session.ts'
import { SigningKeyEntity } from './signing-keys/signing-key.ts'
import { TeacherRoundEntity } from './teacher-samples/teacher-round.ts'
import { TeacherSampleEntity } from './teacher-samples/teacher-sample.ts'
import { TrainingRecordEntity } from './training/training-record.ts'
import { TenantEntity } from './tenants/tenant.ts'

/** Every table of the service. */
export const ENTITIES = [
  TenantEntity,
  ApiKeyEntity,
  SessionEntity,
  ReceiptSecretEntity,
  ServiceSecretEntity,
  SigningKeyEntity,
  AuditEntryEntity,
  AuditHeadEntity,
  BlobEntity,
  BlobChunkEntity,
  BlobUploadEntity,
  BlobDiscardEntity,
  CompileJobEntity,
  JobStageEntity,
  JobEventEntity,
  WorkflowStartEntity,
  ConceptEntity,
  VersionEntity,
  ArtifactEntity,
  ExportJobEntity,
  EvidenceNodeEntity,
  EvidenceEdgeEntity,
  QuotaPeriodEntity,
  QuotaLeaseEntity,
  QuotaReservationEntity,
  InvocationHourEntity,
  IdempotencyClaimEntity,
  RateLimitEntity,
  TeacherRoundEntity,
  TeacherSampleEntity,
  TrainingRecordEntity,
]
