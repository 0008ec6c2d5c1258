#!/usr/bin/python3
"""A camera for tests: a moving picture over RTSP on loopback, served by GStreamer.

usage: rtsp-camera.py PORT CODEC [USER PASSWORD [basic|digest]]      CODEC is h264 or h265
       rtsp-camera.py check                           ends without error when all it needs is installed

Prints "ready" once it listens. Commands come line by line on standard input:
freeze holds the picture back while connections stay, thaw goes on, and the end of the input ends the camera.
Needs python3-gi, gir1.2-gst-rtsp-server-1.0 and gstreamer1.0-plugins-base, -good and -bad.
"""
import sys
import threading

import gi

gi.require_version("Gst", "1.0")
gi.require_version("GstRtsp", "1.0")
gi.require_version("GstRtspServer", "1.0")
from gi.repository import GLib, Gst, GstRtsp, GstRtspServer  # noqa: E402

ENCODERS = {
    "h264": "openh264enc gop-size=10 ! h264parse ! rtph264pay",
    "h265": "x265enc tune=zerolatency speed-preset=ultrafast key-int-max=10 ! h265parse ! rtph265pay",
}


ELEMENTS = ("videotestsrc", "openh264enc", "x265enc", "h264parse", "h265parse", "rtph264pay", "rtph265pay")


class Gate:
    """Lets pictures through, or drops them, in every pipeline that is running."""

    def __init__(self):
        self.open = True

    def watch(self, _factory, media):
        pad = media.get_element().get_by_name("gate").get_static_pad("src")
        pad.add_probe(Gst.PadProbeType.BUFFER, lambda *_: Gst.PadProbeReturn.OK if self.open else Gst.PadProbeReturn.DROP)


def create_server(port, codec, credentials, gate):
    server = GstRtspServer.RTSPServer(address="127.0.0.1", service=port)
    factory = GstRtspServer.RTSPMediaFactory(shared=True)
    source = "videotestsrc is-live=true pattern=ball ! video/x-raw,width=320,height=240,framerate=20/1"
    factory.set_launch(f"( {source} ! identity name=gate ! {ENCODERS[codec]} name=pay0 pt=96 config-interval=-1 )")
    factory.connect("media-configure", gate.watch)
    if credentials:
        demand_login(server, factory, *credentials)
    server.get_mount_points().add_factory("/cam", factory)
    return server


def demand_login(server, factory, user, password, scheme="basic"):
    token = GstRtspServer.RTSPToken()
    token.set_string(GstRtspServer.RTSP_TOKEN_MEDIA_FACTORY_ROLE, "viewer")
    auth = GstRtspServer.RTSPAuth()
    if scheme == "digest":
        auth.set_supported_methods(GstRtsp.RTSPAuthMethod.DIGEST)
        auth.add_digest(user, password, token)
    else:
        auth.add_basic(GstRtspServer.RTSPAuth.make_basic(user, password), token)
    server.set_auth(auth)
    access, construct = GstRtspServer.RTSP_PERM_MEDIA_FACTORY_ACCESS, GstRtspServer.RTSP_PERM_MEDIA_FACTORY_CONSTRUCT
    role, _ = Gst.Structure.from_string(f"viewer,{access}=(boolean)true,{construct}=(boolean)true")
    factory.add_role_from_structure(role)


def obey(loop, gate):
    for line in sys.stdin:
        gate.open = line.strip() != "freeze"
    loop.quit()


def main():
    Gst.init(None)
    if sys.argv[1:] == ["check"]:
        missing = [name for name in ELEMENTS if Gst.ElementFactory.find(name) is None]
        sys.exit(f"missing in GStreamer: {', '.join(missing)}" if missing else None)
    port, codec, *credentials = sys.argv[1:]
    gate, loop = Gate(), GLib.MainLoop()
    server = create_server(port, codec, credentials, gate)
    if server.attach(None) == 0:
        sys.exit(f"port {port} is taken")
    threading.Thread(target=obey, args=(loop, gate), daemon=True).start()
    print("ready", flush=True)
    loop.run()


main()
