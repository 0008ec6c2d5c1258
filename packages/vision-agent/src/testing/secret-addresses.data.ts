/** A way in which cameras take a password or a key in their address. */
export interface SecretAddress {
  readonly form: string;
  readonly write: (secret: string, host: string) => string;
}

/** Ten forms, as makers of cameras and recorders have them. */
export const SECRET_ADDRESSES: readonly SecretAddress[] = [
  { form: "user and password before the host", write: (secret, host) => `rtsp://admin:${secret}@${host}/stream1` },
  { form: "user and password without a scheme", write: (secret, host) => `admin:${secret}@${host}/stream2` },
  { form: "access_token", write: (secret, host) => `http://${host}/video?access_token=${secret}&quality=5` },
  { form: "loginpas", write: (secret, host) => `http://${host}/videostream.cgi?loginuse=admin&loginpas=${secret}` },
  { form: "session", write: (secret, host) => `http://${host}/live.m3u8?session=${secret}` },
  { form: "sig", write: (secret, host) => `https://${host}/clip.mp4?expires=9&sig=${secret}` },
  { form: "usr and pwd", write: (secret, host) => `http://${host}/cgi-bin/api.cgi?cmd=snap&usr=admin&pwd=${secret}` },
  {
    form: "fields in the path",
    write: (secret, host) => `rtsp://${host}:554/user=admin_password=${secret}_channel=1_stream=0.sdp`,
  },
  { form: "folders in the path", write: (secret, host) => `rtsp://${host}/admin/${secret}/ch1` },
  { form: "a pair in the path", write: (secret, host) => `rtsp://${host}/0/admin:${secret}/main` },
];
