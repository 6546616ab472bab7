"""URLs of the console."""

from django.urls import path

from chargebee_sandbox.console import fault_views, inbox_views, layout, refund_views, settings_views, views

app_name = "console"
urlpatterns = [
    path("", views.home_page, name="home"),
    path("travel", views.travel_forward, name="travel"),
    path("customers", views.customers_page, name="customers"),
    path("customers/<path:handle>", views.customer_page, name="customer"),
    path("refund/<str:handle>", refund_views.refund_page, name="refund"),
    path("events", views.events_page, name="events"),
    path("events/<str:handle>", views.event_page, name="event"),
    path("events/<str:handle>/redeliver", views.redeliver_event, name="redeliver"),
    path("inbox", inbox_views.inbox_page, name="inbox"),
    path("inbox/<str:key>", inbox_views.message_page, name="message"),
    path("inbox/<str:key>/body", inbox_views.message_body, name="message-body"),
    path("trouble", fault_views.faults_page, name="faults"),
    path("trouble/order", fault_views.order_fault, name="order-fault"),
    path("trouble/clear", fault_views.clear_faults, name="clear-faults"),
    path("settings", settings_views.settings_page, name="settings"),
    path("settings/change", settings_views.change_settings, name="change-settings"),
    path("settings/reset", settings_views.reset_settings, name="reset-settings"),
    path("assets/console.css", layout.serve_stylesheet, name="stylesheet"),
    path("assets/icon.svg", layout.serve_icon, name="icon"),
]
