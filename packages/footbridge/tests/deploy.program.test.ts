/** The files in deploy/ match the program. */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { environment, type Json } from './support/client.js';
import { repository } from './support/documents.js';
import { createWorld } from './support/folders.js';
import { type HttpProcess, postModern, startHttp } from './support/http-server.js';
import { freePort } from './support/programs.js';
import { startRedis } from './support/redis.js';
import { describeWith } from './support/requirements.js';

const folder = join(repository, 'deploy');
const textOf = (name: string) => readFileSync(join(folder, name), 'utf8');

const dockerfile = textOf('Dockerfile');
const nginx = textOf('nginx.conf').replace(/#.*$/gm, '');
const { services }: Json = parse(textOf('compose.yaml'), { merge: true });
const objects = parseAllDocuments(textOf('kubernetes.yaml')).map((document): Json => document.toJS());
const object = (kind: string): Json => objects.find((each) => each.kind === kind);
const pod = object('Deployment').spec.template.spec;
const [container] = pod.containers;

const [healthCheck, imageCommand] = [...dockerfile.matchAll(/^ *CMD (\[.*\])$/gm)].map(([, words = '']): string[] => JSON.parse(words));
/** What starts Footbridge, by file: the arguments as they stand there. */
const COMMANDS: readonly (readonly [file: string, args: readonly string[]])[] = [
  ['Dockerfile', imageCommand ?? []],
  ['compose.yaml', services.footbridge.command],
  ['kubernetes.yaml', container.args],
];
const PROBES = ['startupProbe', 'readinessProbe', 'livenessProbe'].map((probe): Json => container[probe].httpGet);

const PORT = 3333;
const CONFIGURATION = '/etc/footbridge/footbridge.json';
const SECRETS: Readonly<Record<string, string>> = {
  FOOTBRIDGE_TEAM_SHA256: createHash('sha256').update('team-token').digest('hex'),
  FOOTBRIDGE_OPERATIONS_SHA256: createHash('sha256').update('operations-token').digest('hex'),
};

/** Starts Footbridge as a file says, but on another port of this machine, with the files where they are here, and another Redis. */
async function start([command, ...options]: readonly string[], redis: string): Promise<HttpProcess> {
  expect(command).toBe('serve');
  const args: string[] = [];
  for (const [index, word] of options.entries()) {
    const option = options[index - 1];
    if (option === '--http') expect(word).toBe(`0.0.0.0:${PORT}`);
    else if (option === '--config') args.push(join(folder, 'footbridge.json'));
    else if (option === '--redis') args.push(redis);
    else if (word !== '--http') args.push(word);
  }
  const env = {
    ...SECRETS,
    ...(args.includes('--redis') ? {} : { FOOTBRIDGE_REDIS: redis }),
    FOOTBRIDGE_SKILLS: join(repository, 'examples', 'skills'),
    FOOTBRIDGE_PUBLIC_URL: 'https://mcp.example.org',
  };
  return startHttp(createWorld(), { args, env, address: `127.0.0.1:${await freePort()}` });
}

const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });

describeWith('redis-server', 'Footbridge as the deployment starts it', (path) => {
  it.each(COMMANDS)('serves with the command of %s, and answers the health checks', async (_file, args) => {
    const { endpoint, origin, stderr, stop } = await start(args, (await startRedis(path)).url);
    for (const { path: probed } of PROBES) await expect.poll(async () => (await fetch(`${origin}${probed}`)).status).toBe(200);
    expect((await postModern(endpoint, 'tools/list')).status).toBe(401);
    const { message } = await postModern(endpoint, 'tools/call', { name: 'list_skills', arguments: {} }, bearer('team-token'));
    expect(message.result.structuredContent.skills).toHaveLength(8);
    expect((await fetch(`${origin}/metrics`, bearer('team-token'))).status).toBe(403);
    expect((await fetch(`${origin}/metrics`, bearer('operations-token'))).status).toBe(200);
    expect(await stop()).toBe(0);
    expect(stderr()).not.toMatch(/"level":"(warn|error)"/);
  });
});

describe('the image', () => {
  it('has the current version', () => {
    const { version } = JSON.parse(readFileSync(join(repository, 'packages', 'footbridge', 'package.json'), 'utf8'));
    expect(dockerfile).toContain(`ARG FOOTBRIDGE_VERSION=${version}\n`);
    expect(dockerfile).toMatch(/npm install .*"\$\{tarball:-footbridge@\$\{FOOTBRIDGE_VERSION\}\}"/);
    expect(container.image).toMatch(new RegExp(`:${version}$`));
  });

  it('does not run as root, and stops with SIGTERM', () => {
    expect(dockerfile).toMatch(/^USER node$/m);
    expect(dockerfile).toMatch(/^STOPSIGNAL SIGTERM$/m);
    expect(dockerfile).toMatch(/^ENTRYPOINT \["footbridge"\]$/m);
    expect(dockerfile).toMatch(/^HEALTHCHECK /m);
  });

  it('is healthy only while Footbridge answers', async () => {
    const port = await freePort();
    const check = async () => {
      const [program, ...args] = healthCheck ?? [];
      expect(program).toBe('node');
      const words = args.map((word) => word.replace(`:${PORT}/`, `:${port}/`));
      return (await once(spawn(process.execPath, words, { env: environment(createWorld().home) }), 'exit'))[0];
    };
    expect(await check()).toBe(1);
    await startHttp(createWorld(), { address: `127.0.0.1:${port}` });
    expect(await check()).toBe(0);
  });
});

describe('compose.yaml', () => {
  it('sets every variable of footbridge.json, and mounts every file at the right path', () => {
    const { command, environment: given, volumes } = services.footbridge;
    expect(Object.keys(given)).toEqual(expect.arrayContaining(neededVariables()));
    expect(command).toContain(CONFIGURATION);
    expect(volumes).toContain(`./footbridge.json:${CONFIGURATION}:ro`);
    expect(volumes.some((volume: string) => volume.endsWith(`:${skillsFolder()}:ro`))).toBe(true);
    expect(services.nginx.volumes).toContain('./nginx.conf:/etc/nginx/nginx.conf:ro');
  });

  it('starts two replicas with one Valkey and a sufficient grace period', () => {
    const { command, deploy, stop_grace_period: grace } = services.footbridge;
    expect(deploy.replicas).toBe(2);
    expect(command).toContain('redis://valkey:6379');
    expect(services.valkey.command[0]).toBe('valkey-server');
    expect(Number.parseInt(grace, 10)).toBeGreaterThan(10);
  });

  it.each(Object.keys(services))('restricts the privileges of %s', (name) => {
    expect(services[name]).toMatchObject({ read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] });
  });
});

describe('nginx.conf', () => {
  it('forwards the published port to the replicas, without affinity', () => {
    expect(nginx).toMatch(/listen 8080;/);
    expect(services.nginx.ports).toEqual(['127.0.0.1:8080:8080']);
    expect(nginx).toMatch(new RegExp(`upstream footbridge \\{[^}]*server footbridge:${PORT} resolve;`));
    expect(nginx).toMatch(/proxy_pass http:\/\/footbridge;/);
    expect(nginx).not.toMatch(/ip_hash|hash|sticky/);
  });

  it('does not buffer or cut streams, and passes on the required headers', () => {
    expect(nginx).toMatch(/proxy_buffering off;/);
    expect(nginx).toMatch(/proxy_http_version 1\.1;/);
    expect(nginx).toMatch(/proxy_read_timeout 1h;/);
    expect(nginx).toMatch(/proxy_set_header Host \$http_host;/);
    expect(nginx).toMatch(/proxy_set_header X-Request-Id \$request_id;/);
  });
});

describe('kubernetes.yaml', () => {
  it('mounts the configuration of footbridge.json, with every variable', () => {
    const { data } = object('ConfigMap');
    expect(JSON.parse(data['footbridge.json'])).toEqual(JSON.parse(textOf('footbridge.json')));
    expect(pod.volumes).toContainEqual({ name: 'configuration', configMap: { name: object('ConfigMap').metadata.name } });
    expect(container.volumeMounts).toContainEqual({ name: 'configuration', mountPath: '/etc/footbridge', readOnly: true });
    expect(container.args).toContain(CONFIGURATION);
    const secrets = Object.keys(object('Secret').stringData);
    expect(container.envFrom).toEqual([{ secretRef: { name: object('Secret').metadata.name } }]);
    expect(secrets).toEqual(expect.arrayContaining(neededVariables()));
    expect(secrets).toContain('FOOTBRIDGE_REDIS');
  });

  it('uses one port from the Ingress to the probes', () => {
    const { name, containerPort } = container.ports[0];
    const [port] = object('Service').spec.ports;
    expect(containerPort).toBe(PORT);
    expect(port).toEqual({ name, port: PORT, targetPort: name });
    for (const probe of PROBES) expect(probe.port).toBe(name);
    const [rule] = object('Ingress').spec.rules;
    const { service } = rule.http.paths[0].backend;
    expect(service).toEqual({ name: object('Service').metadata.name, port: { name } });
    expect(dockerfile).toContain(`EXPOSE ${PORT}\n`);
    expect(healthCheck?.at(-1)).toContain(`:${PORT}/healthz`);
    expect(services.footbridge.expose).toEqual([String(PORT)]);
  });

  it('selects its own pods', () => {
    const { labels } = object('Deployment').spec.template.metadata;
    expect(object('Deployment').spec.selector.matchLabels).toEqual(labels);
    expect(object('PodDisruptionBudget').spec.selector.matchLabels).toEqual(labels);
    expect(object('Service').spec.selector).toEqual(labels);
  });

  it('uses the same host in publicUrl and the Ingress', () => {
    const { value } = container.env.find(({ name }: { name: string }) => name === 'FOOTBRIDGE_PUBLIC_URL');
    const { rules, tls } = object('Ingress').spec;
    expect(rules.map(({ host }: { host: string }) => host)).toEqual([new URL(value).hostname]);
    expect(tls[0].hosts).toEqual([new URL(value).hostname]);
  });

  it('has a sufficient grace period and restricted privileges', () => {
    const pause = Number(container.lifecycle.preStop.exec.command.at(-1));
    expect(pod.terminationGracePeriodSeconds - pause).toBeGreaterThan(10);
    expect(pod.securityContext.runAsNonRoot).toBe(true);
    expect(container.securityContext).toMatchObject({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
  });
});

/** The variables of footbridge.json that have no default. */
function neededVariables(): string[] {
  return [...textOf('footbridge.json').matchAll(/\$\{(\w+)\}/g)].map(([, name = '']) => name);
}

/** Where footbridge.json looks for skills. */
function skillsFolder(): string {
  return /\$\{FOOTBRIDGE_SKILLS:-([^}]+)\}/.exec(textOf('footbridge.json'))?.[1] ?? '';
}
