from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("sandbox", "0006_business_entity"),
    ]

    operations = [
        migrations.AddIndex(
            model_name="coupon",
            index=models.Index(fields=["created_at", "seq"], name="coupon_created"),
        ),
        migrations.AddIndex(
            model_name="couponcode",
            index=models.Index(fields=["created_at", "seq"], name="couponcode_created"),
        ),
        migrations.AddIndex(
            model_name="couponset",
            index=models.Index(fields=["created_at", "seq"], name="couponset_created"),
        ),
        migrations.AddIndex(
            model_name="creditnote",
            index=models.Index(fields=["created_at", "seq"], name="creditnote_created"),
        ),
        migrations.AddIndex(
            model_name="customer",
            index=models.Index(fields=["created_at", "seq"], name="customer_created"),
        ),
        migrations.AddIndex(
            model_name="invoice",
            index=models.Index(fields=["created_at", "seq"], name="invoice_created"),
        ),
        migrations.AddIndex(
            model_name="item",
            index=models.Index(fields=["created_at", "seq"], name="item_created"),
        ),
        migrations.AddIndex(
            model_name="itemfamily",
            index=models.Index(fields=["created_at", "seq"], name="itemfamily_created"),
        ),
        migrations.AddIndex(
            model_name="itemprice",
            index=models.Index(fields=["created_at", "seq"], name="itemprice_created"),
        ),
        migrations.AddIndex(
            model_name="paymentintent",
            index=models.Index(fields=["created_at", "seq"], name="paymentintent_created"),
        ),
        migrations.AddIndex(
            model_name="paymentsource",
            index=models.Index(fields=["created_at", "seq"], name="paymentsource_created"),
        ),
        migrations.AddIndex(
            model_name="promotionalcredit",
            index=models.Index(fields=["created_at", "seq"], name="promotionalcredit_created"),
        ),
        migrations.AddIndex(
            model_name="ramp",
            index=models.Index(fields=["created_at", "seq"], name="ramp_created"),
        ),
        migrations.AddIndex(
            model_name="subscription",
            index=models.Index(fields=["created_at", "seq"], name="subscription_created"),
        ),
        migrations.AddIndex(
            model_name="token",
            index=models.Index(fields=["created_at", "seq"], name="token_created"),
        ),
        migrations.AddIndex(
            model_name="transaction",
            index=models.Index(fields=["created_at", "seq"], name="transaction_created"),
        ),
        migrations.AddIndex(
            model_name="unbilledcharge",
            index=models.Index(fields=["created_at", "seq"], name="unbilledcharge_created"),
        ),
    ]
