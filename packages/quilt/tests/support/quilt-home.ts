/** The files of a login, as quilt3 writes them. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

export interface QuiltFolder {
  readonly catalogUrl: string;
  readonly registryUrl: string;
  /** Without a token, `auth.json` is empty, as after a logout. */
  readonly token?: string;
  readonly refreshToken?: string;
  /** Default: in an hour. */
  readonly expiresAt?: Date;
  readonly credentials?: {
    readonly accessKey: string;
    readonly secretKey: string;
    readonly token: string;
    readonly expiryTime: string;
  };
}

/** The folder of quilt3 on Linux. */
export function quiltFolderIn(home: string): string {
  return join(home, '.local', 'share', 'Quilt');
}

export async function writeQuiltFolder(folder: string, quilt: QuiltFolder): Promise<void> {
  const { registryUrl, token, refreshToken = 'refresh-token-5d1c', credentials } = quilt;
  const { expiresAt = new Date(Date.now() + 3_600_000) } = quilt;
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'config.yml'), configText(folder, quilt));
  const login = { access_token: token, refresh_token: refreshToken, expires_at: Math.floor(expiresAt.getTime() / 1000) };
  await writeSecret(join(folder, 'auth.json'), token === undefined ? {} : { [registryUrl]: login });
  if (credentials === undefined) return;
  const { accessKey, secretKey, token: sessionToken, expiryTime } = credentials;
  const kept = { access_key: accessKey, secret_key: secretKey, token: sessionToken, expiry_time: expiryTime };
  await writeSecret(join(folder, 'credentials.json'), kept);
}

async function writeSecret(path: string, content: object): Promise<void> {
  await writeFile(path, JSON.stringify(content), { mode: 0o600 });
}

function configText(folder: string, { catalogUrl, registryUrl }: QuiltFolder): string {
  return `# Quilt3 configuration file

# navigator_url: <url string, default: null>
#
# The catalog that the rest was configured from
# navigator_url: https://example.com
navigator_url: ${catalogUrl}

# default_local_registry: <url string, default: local appdirs>
# where packages are built and installed
default_local_registry: "${pathToFileURL(join(folder, 'packages'))}"

# default_remote_registry: <url string, default: null>
# where packages are pushed and browsed
default_remote_registry:

# default_install_location: <url string, default: null>
# where the files of a package go
default_install_location:

# Identity service URL
registryUrl: ${registryUrl}

# Disable anonymous usage metrics
telemetry_disabled: false

# S3 Proxy
s3Proxy: https://demo-s3-proxy.example.com

# API Gateway endpoint (e.g., for search)
apiGatewayEndpoint: https://abc123.execute-api.us-east-1.amazonaws.com/prod

default_registry_version: 1
region: us-east-1
noDownload: false
stackVersion: 1.60.0
`;
}
