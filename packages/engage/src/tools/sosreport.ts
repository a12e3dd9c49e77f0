/** The tools that collect an sosreport, say how it gets on, and fetch it. */
import { hostname } from 'node:os';
import * as z from 'zod/v4';
import { Failure } from '../failure.js';
import type { Artifacts } from '../sos/artifacts.js';
import type { JobState } from '../sos/job-state.js';
import type { Jobs } from '../sos/jobs.js';
import { jobUri } from '../surface.js';
import type { Consent } from '../workflow/consent.js';
import { iso, size } from './text.js';
import { type EngageTool, inputOf } from './tool.js';

/** Hosts give up on a call after 60 s. */
const PATIENCE_MS = 50_000;

const plugins = z.array(z.string().regex(/^[A-Za-z0-9_-]+$/, 'letters, digits, _ and - only')).max(100);

const Collect = inputOf({
  consent_token: z.string().optional().describe('From mint_engage_consent_token, which is called after the person said yes.'),
  workflow_session_id: z.string().optional().describe('From select_engage_product.'),
  only_plugins: plugins.optional().describe('Collect with these sos plugins alone, such as ["networking"]. Excludes the next two.'),
  enable_plugins: plugins.optional().describe('sos plugins to add.'),
  disable_plugins: plugins.optional().describe('sos plugins to leave out.'),
  log_size: z
    .string()
    .regex(/^\d+[kKmMgG]?$/, 'a number with k, m or g, such as 50m')
    .optional()
    .describe('The most to take of each log, such as "50m". A bare number is MiB.'),
  redaction: z.boolean().optional().describe('Mask host names, addresses and users in the bundle.'),
});

export function generateTool(consent: Consent, jobs: Jobs): EngageTool<typeof Collect> {
  return {
    name: 'generate_sosreport',
    title: 'Collect an sosreport',
    description:
      'Step 2: collect a diagnostic bundle of this machine with `sos report`. Needs the consent_token of mint_engage_consent_token. Takes minutes: after 50 s it returns { job_id, status: "running" }, and get_generate_sosreport_status tells how it gets on. Nothing leaves the machine.',
    input: Collect,
    readOnly: false,
    async run(input, owner, context) {
      const until = Date.now() + PATIENCE_MS;
      const { giveBack, session } = await consent.redeem(owner, input.consent_token, input.workflow_session_id);
      const job = await jobs.start(owner, requestOf(input), session.id, giveBack).catch(async (cause: unknown) => {
        await giveBack();
        throw cause;
      });
      const state = await jobs.wait(owner, job.jobId, {
        milliseconds: until - Date.now(),
        signal: context.signal,
        onProgress: ({ done, message, total }) => context.progress(done, total, message),
      });
      return finished(state);
    },
  };
}

function requestOf(input: z.output<typeof Collect>) {
  const { disable_plugins: disablePlugins, enable_plugins: enablePlugins, log_size: logSize, only_plugins: onlyPlugins, redaction } = input;
  return {
    onlyPlugins,
    enablePlugins,
    disablePlugins,
    logSize,
    redaction,
  };
}

function finished(state: JobState) {
  if (state.failure !== undefined) {
    const { action, code, message } = state.failure;
    throw new Failure(code, message, action, { job_id: state.jobId });
  }
  return { text: stateText(state), structured: stateFields(state) };
}

const Job = inputOf({ job_id: z.string().describe('From generate_sosreport.') });

export function statusTool(jobs: Jobs): EngageTool<typeof Job> {
  return {
    name: 'get_generate_sosreport_status',
    title: 'How the sosreport gets on',
    description: 'Say whether an sosreport is still being collected, is ready to be fetched, or has failed. Ask every 10 to 20 seconds.',
    input: Job,
    readOnly: true,
    async run({ job_id: jobId }, owner) {
      const state = await jobs.state(owner, jobId);
      return { text: stateText(state), structured: stateFields(state) };
    },
  };
}

function stateText(state: JobState): string {
  const { archiveName, failure, fetchReference, finishedAt = 0, jobId, progress, sizeBytes = 0, startedAt } = state;
  const lasted = `begun ${iso(startedAt)}, over ${iso(finishedAt)}, also at ${jobUri(jobId)}`;
  if (failure !== undefined) return `The job ${jobId} (${lasted}) has failed (${failure.code}): ${failure.message} ${failure.action}`;
  if (state.status === 'completed')
    return `The sosreport is ready: ${archiveName}, ${size(sizeBytes)}, made by job ${jobId} (${lasted}). Call fetch_sosreport with fetch_reference ${fetchReference}.`;
  const far = progress === undefined ? '' : ` ${progress.message} (${progress.done} of ${progress.total}).`;
  return `The job ${jobId} (begun ${iso(startedAt)}, also at ${jobUri(jobId)}) is still running.${far} Call get_generate_sosreport_status with job_id ${jobId} in 10 to 20 seconds; do not start a second one.`;
}

/** A job as machines read it, from the tool and from its resource. */
export function stateFields(state: JobState): Record<string, unknown> {
  const { archiveName, failure, fetchReference, finishedAt, jobId, progress, sizeBytes, startedAt, status } = state;
  return {
    job_id: jobId,
    status,
    started_at: iso(startedAt),
    ...(finishedAt === undefined ? {} : { finished_at: iso(finishedAt) }),
    ...(status === 'running' && progress !== undefined ? { progress } : {}),
    ...(status === 'completed' && finishedAt !== undefined ? { created_at: iso(finishedAt) } : {}),
    archive_name: archiveName,
    size_bytes: sizeBytes,
    fetch_reference: fetchReference,
    ...(failure === undefined
      ? {}
      : { error: { code: failure.code, message: failure.message, text: `${failure.message} ${failure.action}` } }),
    resource_uri: jobUri(jobId),
  };
}

const Fetch = inputOf({ fetch_reference: z.string().describe('From generate_sosreport or get_generate_sosreport_status.') });

export function fetchTool(artifacts: Artifacts): EngageTool<typeof Fetch> {
  return {
    name: 'fetch_sosreport',
    title: 'Fetch the sosreport',
    description:
      'Step 2: put the collected archive where the person can look into it, and get its path, size, sha256 and the artifact_ref that jira_attach_artifact takes. Nothing leaves the machine.',
    input: Fetch,
    readOnly: true,
    async run({ fetch_reference: reference }, owner) {
      const { archiveName, artifactRef, expiresAt, path, sha256, sizeBytes } = await artifacts.fetch(owner, reference);
      return {
        text: `The sosreport is on the machine ${hostname()} at ${path} (${size(sizeBytes)}, sha256 ${sha256}), until ${iso(expiresAt)}. Show the person these before it goes anywhere. To attach it to a Jira issue, call jira_attach_artifact with artifact_ref ${artifactRef}.`,
        structured: {
          path,
          archive_name: archiveName,
          size_bytes: sizeBytes,
          sha256,
          artifact_ref: artifactRef,
          expires_at: iso(expiresAt),
        },
      };
    },
  };
}
