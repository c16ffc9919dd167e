// The ports between packages, for authors of stores, channels and hosts.
export {
  actionTarget,
  othersContentOf,
  peerOf,
  peerOrigin,
  type ActionTarget,
  type OthersContent,
  type PartOrigin,
} from '../part.ts'
export type { ShownCalls } from '../originator.ts'
export {
  dataRuleAgainst,
  declaredOrigins,
  failureOrigins,
  isForeign,
  mergedOrigins,
  originName,
  originsOfMessage,
  originsOfPart,
} from '../origins.ts'
export {
  adminApproveScope,
  approveScope,
  askAuthenticator,
  mayAccess,
  mayApprove,
  mayDecideAdmin,
  principalKey,
  type Authentication,
  type Credential,
  type TokenLogin,
} from '../principal.ts'
export type { Audit, AuditRecord } from '../ports/audit.ts'
export type { SessionAdmission, TurnUsage } from '../ports/admission.ts'
export type {
  ActorReplay,
  Amount,
  ApprovalAsked,
  ApprovalDescription,
  CommittedStep,
  CutText,
  Emit,
  Note,
  ForwardedAction,
  PastTurn,
  PlannedTool,
  RecordedCommit,
  ShowLive,
  SlotPlan,
  ToolRun,
  ToolWords,
} from '../ports/actor.ts'
export type {
  ArtifactAbout,
  ArtifactContent,
  ArtifactLink,
  ArtifactQuery,
  ByteRange,
  StoredArtifact,
} from '../ports/artifacts.ts'
export type {
  ClientAnswered,
  ClientOffer,
  ClientResult,
  ClientTool,
  OfferedTool,
  ToolClient,
} from '../ports/client-tools.ts'
export type { ApprovalFollowUp } from '../ports/approval-follow-up.ts'
export type { ExplainedPart, FoldedAround, Inspection, ListenerTurn } from '../ports/inspection.ts'
export type {
  Difference,
  NotRecorded,
  ReplayedCall,
  ReplayedEnd,
  ReplayedUsage,
  ReplayReport,
  ReplayRequest,
  TextPiece,
  TurnDifference,
} from '../ports/replay.ts'
export type { ChannelPreview, PreviewFile, PreviewItem, TurnPreview } from '../ports/preview.ts'
export type {
  Allowance,
  ApprovalAnswer,
  ApprovalOutcome,
  CommittedReply,
  DeadLetter,
  DeadLetterEntry,
  Decided,
  DecisionMade,
  ExposedCall,
  FrameBatch,
  FramePosition,
  FrameSink,
  InFlight,
  JoinOptions,
  ManifestView,
  NewSessionOptions,
  OpenOptions,
  OriginatorView,
  Page,
  PendingApproval,
  PostResult,
  SessionQuery,
  SessionSummary,
  SliceInputRequest,
  SlotState,
  Taken,
  TakeOptions,
  TracedTurn,
  TokenUsage,
  TurnView,
  Watch,
} from '../ports/sessions.ts'
export { frameBatch } from '../ports/sessions.ts'
export { stateScope, type PeerAction, type SessionPeers } from '../ports/session-peers.ts'
export type { InputRequest, Effect, EffectRun, SliceReply, HandleContext, HandleOutcome } from '../ports/slice.ts'
export type { Citations, CitedSource, ToolAction, ToolShow } from '../ports/tool.ts'
export type { KeyRetention, RecordTimes, RetentionContext, SessionActivity } from '../ports/retention.ts'
export {
  atOnce,
  Conflict,
  type BoundKey,
  type HeldLease,
  type Lease,
  type Live,
  type StoredEvent,
  type StoreHosts,
  type StoreProcess,
  type TailItem,
} from '../ports/store.ts'
export {
  provideRunningActivity,
  runningActivity,
  type Activity,
  type ActivityFacts,
  type NotedError,
  type RequestReports,
  type RunningActivity,
  type Telemetry,
  type ReportedError,
} from '../ports/telemetry.ts'
export type { Use, Used } from '../uses.ts'
